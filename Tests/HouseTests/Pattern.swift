import Foundation

/// A regular expression; those of Swift take seconds for all sources in a debug build.
struct Pattern: @unchecked Sendable {
    // Immutable, and documented as safe for use from several threads.
    private let expression: NSRegularExpression

    init(_ pattern: String) {
        guard let expression = try? NSRegularExpression(pattern: pattern, options: .anchorsMatchLines) else {
            fatalError("Not a regular expression: \(pattern)")
        }
        self.expression = expression
    }

    /// Comments and string literals, with interpolations that hold strings and parentheses themselves.
    static let commentsAndStrings: Pattern = {
        let string = #""(?:\\.|[^"\\\n])*""#
        let nested = #"(?:[^()"\n]|\#(string)|\((?:[^()"\n]|\#(string)|\([^()\n]*\))*\))*"#
        return Pattern(
            ##"#*"""[\s\S]*?"""#*|#"[^\n]*?"#|"(?:\\\(\##(nested)\)|\\.|[^"\\\n])*"|//.*|/\*[\s\S]*?\*/"##
        )
    }()

    /// For each match the whole of it and its groups, empty where one has no part in it.
    func captures(in text: String) -> [[String]] {
        let all = text as NSString
        return expression.matches(in: text, range: NSRange(location: 0, length: all.length)).map { match in
            (0..<match.numberOfRanges).map { group in
                let range = match.range(at: group)
                return range.location == NSNotFound ? "" : all.substring(with: range)
            }
        }
    }

    /// The text with something else in place of each match.
    func replacing(in text: String, with other: (String) -> String) -> String {
        let all = text as NSString
        var (result, end) = ("", 0)
        for match in expression.matches(in: text, range: NSRange(location: 0, length: all.length)) {
            result += all.substring(with: NSRange(location: end, length: match.range.location - end))
            result += other(all.substring(with: match.range))
            end = match.range.location + match.range.length
        }
        return result + all.substring(from: end)
    }

    /// The matches, each with the line in which it begins, counted from 1, and where it ends.
    func matches(in text: String) -> [(text: Substring, line: Int, end: String.Index)] {
        var (line, place) = (1, text.startIndex)
        return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
            guard let range = Range(match.range, in: text) else { return nil }
            line += text[place..<range.lowerBound].count(where: \.isNewline)
            place = range.lowerBound
            return (text[range], line, range.upperBound)
        }
    }
}

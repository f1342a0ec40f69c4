/// Where a file of tests compares a sentence with a literal, so that rewording the sentence would break the test.
///
/// A comparison counts if one side is, or comes from, something called `message`, `next`, `reason` or `description`, and
/// the other a literal of four or more words. A word has a letter; what is interpolated counts as a word.
struct ComparedProse {
    /// The lines, counted from 1, in order.
    private(set) var lines: [Int] = []
    /// The file's code, with `«number»` for each string literal.
    private var code = ""
    private var literals: [String] = []

    init(in text: String) {
        code = Pattern.commentsAndStrings.replacing(in: text) { match in
            let breaks = String(match.filter(\.isNewline))
            guard match.contains("\""), !match.hasPrefix("/") else { return breaks }
            literals.append(match)
            return "«\(literals.count - 1)»" + breaks
        }
        let besides = Self.comparison.matches(in: code).filter { isProse(String($0.text)) }.map(\.line)
        lines = Set(conditions().flatMap(comparisons) + besides).sorted()
    }

    private static let subject = #"\b(?:message|next|reason|description)\b(?!\s*[(:])"#
    private static let literal = #"«\d+»(?:\s*\+\s*«\d+»)*"#
    private static let mention = Pattern(subject)
    private static let operation = Pattern(#"==|!=|\bcontains\b|\bhasPrefix\b|\bhasSuffix\b|\b(?:firstR|r)ange\("#)
    private static let prose = Pattern(literal)
    /// A comparison outside `#expect`: a subject and a literal side by side.
    private static let comparison = Pattern(
        #"\#(subject)[?!)]*(?:\s*(?:==|!=)\s*\[?\s*|\s*\.(?:contains|hasPrefix|hasSuffix)\(\s*)\#(literal)"#
            + #"|\#(literal)\s*(?:==|!=)\s*[\w.?!$()]*\#(subject)"#
    )

    /// The lines of a condition at which something that is compared with prose stands.
    private func comparisons(in condition: (line: Int, text: String)) -> [Int] {
        Self.part.matches(in: condition.text).compactMap { part in
            let text = String(part.text)
            guard let mention = Self.mention.matches(in: text).first, !Self.operation.matches(in: text).isEmpty,
                isProse(text)
            else { return nil }
            return condition.line + part.line + mention.line - 2
        }
    }
    private static let part = Pattern(#"(?:(?!&&|\|\|)[\s\S])+"#)

    /// Whether some literals that are joined have four words together.
    private func isProse(_ part: String) -> Bool {
        Self.prose.matches(in: part).contains { joined in
            let numbers = joined.text.split { !$0.isNumber }.compactMap { Int($0) }
            return numbers.map { literals[$0] }.joined(separator: " ").words >= 4
        }
    }

    /// The conditions of all `#expect` and `#require`, without the comments behind them.
    private func conditions() -> [(line: Int, text: String)] {
        Self.macro.matches(in: code).map { match in
            var depth = 0
            let rest = code[match.end...].prefix { character in
                if "([{".contains(character) { depth += 1 }
                if ")]}".contains(character) { depth -= 1 }
                return depth >= 0 && !(depth == 0 && character == ",")
            }
            return (match.line, String(rest))
        }
    }
    private static let macro = Pattern(#"#(?:expect|require)\("#)
}

extension String {
    /// How many words a literal has, as it is written.
    fileprivate var words: Int {
        let text = Pattern(#"\\\([^\s]*\)"#).replacing(in: self) { _ in "x" }
        return text.split(whereSeparator: \.isWhitespace).count { $0.contains(where: \.isLetter) }
    }
}

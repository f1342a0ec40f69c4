import Foundation
import Testing

/// A text that readers see: a Markdown file, or the documentation comments of a source file.
struct Document: Sendable {
    /// Lines that follow one another without a break.
    struct Section: Sendable {
        let firstLine: Int
        let lines: [Substring]
    }

    /// Where it is, from the root of the package.
    let path: String
    /// A Markdown file is one section, each documentation comment is one of its own.
    let sections: [Section]
    /// What the reader is taken to have imported where no block says so.
    let impliedImports: [String]

    /// A Markdown text; one in a module's catalogue is read by users of that module.
    init(markdown text: String, path: String) {
        self.path = path
        sections = [Section(firstLine: 1, lines: text.split(separator: "\n", omittingEmptySubsequences: false))]
        impliedImports = Self.module(of: path).map { ["import \($0)"] } ?? []
    }

    /// The documentation comments of a Swift source, read by users of its module who import what it shows of others.
    init(comments text: String, path: String) {
        self.path = path
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        sections = Self.comments(in: lines)
        let shown = lines.filter { $0.hasPrefix("public import ") }.map { String($0.dropFirst("public ".count)) }
        impliedImports = (Self.module(of: path).map { ["import \($0)"] } ?? []) + shown
    }

    private static func comments(in lines: [Substring]) -> [Section] {
        var sections: [Section] = []
        var comment: [Substring] = []
        for (index, line) in (lines + [""]).enumerated() {
            let code = line.drop(while: \.isWhitespace)
            if code.hasPrefix("///") {
                comment.append(code.dropFirst(code.hasPrefix("/// ") ? 4 : 3))
            } else if !comment.isEmpty {
                sections.append(Section(firstLine: index + 1 - comment.count, lines: comment))
                comment = []
            }
        }
        return sections
    }

    private static func module(of path: String) -> String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
    }
}

extension Document: CustomTestStringConvertible {
    var testDescription: String { path }
}

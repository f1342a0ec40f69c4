import Yams

/// Finds the tags of a file, which are not allowed: a value's form decides its type.
///
/// The search looks at the text at the start of each node, because the parser drops the tags in `! a` and `!!str "a"`.
struct TagSearch {
    /// The place and the kind of a visited node; an alias leads to a visited node again.
    private struct Visit: Hashable {
        let line: Int
        let column: Int
        let kind: Int
    }

    private let problems: Problems
    private let lines: [ArraySlice<Unicode.Scalar>]
    private var visited: Set<Visit> = []
    private var told: Set<[Int]> = []

    /// Records every tag in `text`; `root` is the document that was read from the text.
    static func note(in text: String, _ root: Node, _ problems: Problems) {
        guard text.utf8.contains(UInt8(ascii: "!")) else { return }
        var search = TagSearch(text, problems)
        search.visit(root, key: "")
    }

    private init(_ text: String, _ problems: Problems) {
        self.problems = problems
        lines = Self.lines(of: Array(text.unicodeScalars))
    }

    private mutating func visit(_ node: Node, key: String) {
        guard let mark = node.mark else { return }
        guard visited.insert(Visit(line: mark.line, column: mark.column, kind: node.kind)).inserted else { return }
        if let tag = tag(at: mark), told.insert([mark.line, mark.column]).inserted {
            problems.add(Errors.tag(tag), at: Position(mark), key: key)
        }
        switch node {
        case .scalar, .alias: return
        case .sequence(let elements):
            for (index, element) in elements.enumerated() { visit(element, key: "\(key)[\(index)]") }
        case .mapping(let members):
            for (name, value) in members {
                visit(name, key: key)
                let name = name.scalar?.string ?? ""
                visit(value, key: key.isEmpty ? name : "\(key).\(name)")
            }
        }
    }

    /// The tag of the node that begins at `mark`, even if an anchor comes before the tag; nil if it has no tag.
    private func tag(at mark: Mark) -> String? {
        guard lines.indices.contains(mark.line - 1) else { return nil }
        var line = mark.line - 1
        var rest = lines[line].dropFirst(mark.column - 1)
        while let first = rest.first {
            if first == "!" { return String(String.UnicodeScalarView(rest.prefix { !$0.isBlank })) }
            guard first == "&" else { return nil }
            rest = rest.drop { !$0.isBlank }.drop(while: \.isBlank)
            // The node may continue on the next lines.
            while rest.first == nil || rest.first == "#", lines.indices.contains(line + 1) {
                line += 1
                rest = lines[line].drop(while: \.isBlank)
            }
        }
        return nil
    }

    /// Splits the text into lines at the line breaks of YAML 1.1.
    private static func lines(of text: [Unicode.Scalar]) -> [ArraySlice<Unicode.Scalar>] {
        var lines: [ArraySlice<Unicode.Scalar>] = []
        var start = 0
        for (index, scalar) in text.enumerated() where scalar.endsLine {
            // CR LF ends one line.
            if scalar == "\n", index > 0, text[index - 1] == "\r" {
                start = index + 1
                continue
            }
            lines.append(text[start..<index])
            start = index + 1
        }
        return lines + [text[start...]]
    }
}

extension Node {
    /// A number for the node's kind; a mapping and its first key begin at the same place, but differ in this number.
    fileprivate var kind: Int {
        switch self {
        case .scalar: 0
        case .mapping: 1
        case .sequence: 2
        case .alias: 3
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isBlank: Bool { self == " " || self == "\t" }
    fileprivate var endsLine: Bool { ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].contains(self) }
}

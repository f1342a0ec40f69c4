/// A fenced block of code.
struct CodeBlock: Equatable, Sendable {
    /// The line of its first line of code.
    let firstLine: Int
    /// What stands after the opening fence, word by word: the language, then remarks.
    let info: [Substring]
    let lines: [Substring]

    /// Code that is to be compiled; `no-compile` marks what is wrong on purpose.
    var isSwift: Bool { info.first == "swift" && !info.contains("no-compile") }

    /// Whether nothing but declarations stands at its outermost level, so that later blocks can use them.
    ///
    /// Told by the lines that are not indented: the examples are formatted like all code here.
    var isDeclarative: Bool {
        lines.allSatisfy { line in
            guard let first = line.first, first.isLetter || first == "@" else { return true }
            let words = line.split(separator: " ").drop { $0.hasPrefix("@") || Self.modifiers.contains($0) }
            return words.first.map { Self.declarations.contains($0) } ?? true
        }
    }

    /// The line; if it declares something at the outermost level, and says nothing of who may use it, for its file only.
    static func hidingDeclaration(_ line: Substring) -> String {
        guard let first = line.first, first.isLetter || first == "@" else { return String(line) }
        let words = line.split(separator: " ")
        guard let start = words.first(where: { !$0.hasPrefix("@") })?.startIndex,
            let kind = words.first(where: { !$0.hasPrefix("@") && !modifiers.contains($0) }),
            declarations.contains(kind), kind != "extension", access.isDisjoint(with: words)
        else { return String(line) }
        return line[..<start] + "fileprivate " + line[start...]
    }

    private static let access: Set<Substring> = [
        "public", "package", "internal", "private", "fileprivate", "open",
    ]
    private static let modifiers = access.union(["final", "nonisolated", "indirect", "isolated"])
    private static let declarations: Set<Substring> = [
        "struct", "class", "enum", "actor", "protocol", "extension", "func", "import", "typealias", "macro",
    ]
}

/// A document that cannot be read as it stands.
struct DocumentError: Error, CustomStringConvertible {
    let description: String
}

extension Document {
    /// The blocks of Swift that readers may copy, in order.
    ///
    /// - Throws: ``DocumentError`` for a fence that is never closed.
    func swiftBlocks() throws(DocumentError) -> [CodeBlock] { try codeBlocks().filter(\.isSwift) }

    /// All fenced blocks, in order.
    ///
    /// - Throws: ``DocumentError`` for a fence that is never closed.
    func codeBlocks() throws(DocumentError) -> [CodeBlock] {
        var blocks: [CodeBlock] = []
        for section in sections {
            var lines = section.lines.enumerated().makeIterator()
            while let (index, line) = lines.next() {
                guard let fence = Fence(opening: line) else { continue }
                var code: [Substring] = []
                var isClosed = false
                while !isClosed, let (_, line) = lines.next() {
                    if fence.isClosed(by: line) { isClosed = true } else { code.append(fence.unindented(line)) }
                }
                let number = section.firstLine + index
                guard isClosed else {
                    throw DocumentError(description: "\(path):\(number): this fence is never closed")
                }
                blocks.append(CodeBlock(firstLine: number + 1, info: fence.info, lines: code))
            }
        }
        return blocks
    }
}

/// The line of backquotes that opens a block.
struct Fence {
    let info: [Substring]
    private let marks: Substring
    private let indentation: Int

    init?(opening line: Substring) {
        let text = line.drop(while: \.isWhitespace)
        marks = text.prefix { $0 == "`" }
        guard marks.count >= 3 else { return nil }
        indentation = line.count - text.count
        info = text.dropFirst(marks.count).split(separator: " ")
    }

    func isClosed(by line: Substring) -> Bool {
        let text = line.drop(while: \.isWhitespace)
        return text.hasPrefix(marks) && text.allSatisfy { $0 == "`" || $0.isWhitespace }
    }

    /// A block inside a list is indented as a whole.
    func unindented(_ line: Substring) -> Substring {
        line.dropFirst(min(indentation, line.prefix(while: \.isWhitespace).count))
    }
}

/// One source file with all Swift of a document, in which the compiler's messages name the document's own lines.
///
/// Blocks of declarations stand side by side, so that later blocks can use them. Any other block is the body of a
/// function, as if it stood alone in `main.swift`. Nothing is seen by the sources of other documents beside it.
struct GeneratedSource {
    let text: String

    init(_ document: Document) throws(DocumentError) {
        let blocks = try document.swiftBlocks()
        var lines = Self.imports(of: blocks, in: document)
        for (index, block) in blocks.enumerated() {
            if !block.isDeclarative { lines.append("private func block\(index + 1)() async throws {") }
            lines.append(Self.location(document.path, block.firstLine))
            lines += block.lines.map { line in
                if Self.isImport(line) { return "" }
                return block.isDeclarative ? CodeBlock.hidingDeclaration(line) : String(line)
            }
            lines.append("#sourceLocation()")
            if !block.isDeclarative { lines.append("}") }
        }
        text = lines.joined(separator: "\n") + "\n"
    }

    /// Imports come first, each once; where no block says what it imports, the document implies it.
    private static func imports(of blocks: [CodeBlock], in document: Document) -> [String] {
        var seen: Set<Substring> = []
        var lines: [String] = []
        for block in blocks {
            for (offset, line) in block.lines.enumerated() where isImport(line) && seen.insert(line).inserted {
                lines += [location(document.path, block.firstLine + offset), String(line), "#sourceLocation()"]
            }
        }
        return lines.isEmpty ? document.impliedImports : lines
    }

    private static func location(_ path: String, _ line: Int) -> String {
        "#sourceLocation(file: \"\(path)\", line: \(line))"
    }

    private static func isImport(_ line: Substring) -> Bool {
        line.split(separator: " ").prefix { $0 != "import" }.allSatisfy { $0.hasPrefix("@") || $0 == "public" }
            && line.contains("import ")
    }
}

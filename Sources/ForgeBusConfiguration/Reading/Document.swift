import ForgeBusProtocol
import Yams

/// Reads the YAML of a file into nodes that contain their positions in the file.
enum Document {
    /// Reads the only document of the file.
    ///
    /// - Parameters:
    ///   - source: The file.
    ///   - problems: Where problems are recorded.
    ///   - content: The expected content, for the error about an empty file.
    /// - Returns: The document's value; nil after recording a problem.
    static func root(
        of source: SourceFile,
        _ problems: Problems,
        expecting content: String = "at least one of the keys `monitors` and `pipelines`, or `webhooks` for a gateway"
    ) -> Entry? {
        do {
            if let node = try Yams.compose(yaml: source.text) {
                guard isBounded(node, source.text) else {
                    problems.add(
                        .tooLarge,
                        "The file's aliases expand to more than \(maximumNodeCount) values.",
                        next: "Use fewer aliases.",
                        at: nil,
                        key: nil
                    )
                    return nil
                }
                TagSearch.note(in: source.text, node, problems)
                return Entry(node: node, key: "", problems: problems)
            }
            problems.add(
                .missingKey,
                "The file is empty.",
                next: "Write \(content).",
                at: Position(line: 1, column: 1),
                key: nil
            )
        } catch let error as YamlError {
            note(error, source, problems)
        } catch {
            problems.add(.notYAML, "This is not YAML: \(error).", next: "Correct the file.", at: nil, key: nil)
        }
        return nil
    }

    /// How many values a file may have at most: a few lines of aliases can expand to a huge number of values.
    ///
    /// A file without aliases cannot exceed the limit, because each value takes at least one byte.
    private static let maximumNodeCount = SourceFile.maximumSizeInBytes

    private static func isBounded(_ root: Node, _ text: String) -> Bool {
        guard text.utf8.contains(UInt8(ascii: "*")) else { return true }
        var rest = [root]
        var count = 0
        while let node = rest.popLast() {
            count += 1
            switch node {
            case .scalar, .alias: break
            case .sequence(let elements): rest += elements
            case .mapping(let members): rest += members.flatMap { [$0.key, $0.value] }
            }
            if count + rest.count > maximumNodeCount { return false }
        }
        return true
    }

    private static func note(_ error: YamlError, _ source: SourceFile, _ problems: Problems) {
        switch error {
        case .scanner(_, "found character that cannot start any token", let mark, _):
            noteCharacter(at: Position(mark), in: source.text, problems)
        case .composer(let context?, _, let mark, _) where context.text == "expected a single document in the stream":
            problems.add(
                .notYAML,
                "Expected one YAML document, found another document here.",
                next: "Write one document: remove this line `---`, or move the text after it into another file.",
                at: Position(mark),
                key: nil
            )
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            noteSyntax(SyntaxProblem(context, problem), Position(mark), problems)
        case .reader(let problem, let offset, _, let text):
            let next =
                "Remove the character here. Or write it as an escape, such as \\u0007, in double quotation marks."
            noteSyntax(SyntaxProblem(problem, next: next), offset.map { position(at: $0, in: text) }, problems)
        case .duplicatedKeysInMapping(let keys, let context):
            problems.add(
                .duplicate,
                "The key `\(keys.first ?? "")` occurs more than once in this mapping, for the first time here.",
                next: "Rename or remove one of them.",
                at: Position(context.mark),
                key: keys.first
            )
        case .no, .memory, .writer, .emitter, .representer, .dataCouldNotBeDecoded:
            noteSyntax(SyntaxProblem("\(error)", next: SyntaxProblem.anything), nil, problems)
        }
    }

    /// Records a character with which no value can begin.
    private static func noteCharacter(at position: Position, in text: String, _ problems: Problems) {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let character = lines.dropFirst(position.line - 1).first?.unicodeScalars.dropFirst(position.column - 1).first
        guard character != "\t" else {
            let next = "Replace the tab by spaces."
            let cause = "a tab is at a place where only spaces are allowed"
            return noteSyntax(SyntaxProblem(cause, next: next), position, problems)
        }
        let shown = character.map { " \(Printable.quoted(String(Character($0))))" } ?? ""
        let next = "Put a text that begins with it in quotation marks."
        let cause = "no value can begin with the character\(shown) here"
        noteSyntax(SyntaxProblem(cause, next: next), position, problems)
    }

    private static func noteSyntax(_ problem: SyntaxProblem, _ position: Position?, _ problems: Problems) {
        problems.add(.notYAML, "This is not YAML: \(problem.cause).", next: problem.next, at: position, key: nil)
    }

    /// Converts an offset in characters, which libyaml's reader reports, to a line and a column.
    private static func position(at offset: Int, in text: String) -> Position {
        let before = text.prefix(offset)
        let line = before.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return Position(line: line.count, column: (line.last?.unicodeScalars.count ?? 0) + 1)
    }
}

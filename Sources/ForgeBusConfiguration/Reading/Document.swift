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
                    problems.add(Errors.tooManyValues(limit: maximumNodeCount), at: nil, key: nil)
                    return nil
                }
                TagSearch.note(in: source.text, node, problems)
                return Entry(node: node, key: "", problems: problems)
            }
            problems.add(Errors.emptyFile(expecting: content), at: Position(line: 1, column: 1), key: nil)
        } catch let error as YamlError {
            note(error, source, problems)
        } catch {
            problems.add(Errors.unreadableSyntax(error), at: nil, key: nil)
        }
        return nil
    }

    /// How many values a file may have at most: a few lines of aliases can expand to a huge number of values.
    ///
    /// A worker file without aliases cannot exceed the limit, because each value takes at least one byte.
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
            problems.add(startOfValue(at: Position(mark), in: source.text), at: Position(mark), key: nil)
        case .composer(let context?, _, let mark, _) where context.text == "expected a single document in the stream":
            problems.add(Errors.secondDocument, at: Position(mark), key: nil)
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            problems.add(Errors.syntax(context, problem), at: Position(mark), key: nil)
        case .reader(let problem, let offset, _, let text):
            let place = offset.map { position(at: $0, in: text) }
            problems.add(Errors.unreadableCharacter(problem), at: place, key: nil)
        case .duplicatedKeysInMapping(let keys, let context):
            problems.add(Errors.keyTwice(keys.first ?? ""), at: Position(context.mark), key: keys.first)
        case .no, .memory, .writer, .emitter, .representer, .dataCouldNotBeDecoded:
            problems.add(Errors.unknownSyntax("\(error)"), at: nil, key: nil)
        }
    }

    /// The error about a character with which no value can begin.
    private static func startOfValue(at position: Position, in text: String) -> ConfigurationError {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let character = lines.dropFirst(position.line - 1).first?.unicodeScalars.dropFirst(position.column - 1).first
        return character == "\t" ? Errors.tab : Errors.startOfValue(character.map { Character($0) })
    }

    /// Converts an offset in characters, which libyaml's reader reports, to a line and a column.
    private static func position(at offset: Int, in text: String) -> Position {
        let before = text.prefix(offset)
        let line = before.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return Position(line: line.count, column: (line.last?.unicodeScalars.count ?? 0) + 1)
    }
}

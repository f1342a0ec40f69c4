import ForgeBusProtocol
import Yams

/// A key of a mapping with its value.
struct Member {
    let name: String
    let entry: Entry
    /// The position of the key.
    let position: Position?
}

/// A value in the file, with the keys that lead to it.
///
/// If the value is not what a reading method expects, the method records a problem and returns nil. So reading
/// continues and finds all other problems.
struct Entry {
    let node: Node
    /// The path, such as `pipelines.deploy.actions[0].run`.
    let key: String
    let problems: Problems

    /// The position of the value.
    var position: Position? { node.mark.map(Position.init) }

    /// Records a problem at the place of this value.
    func note(_ error: ConfigurationError) { problems.add(error, at: position, key: key) }

    /// Records that the value has the wrong type; if `next` is nil, the next move is to write what was expected.
    func mustBe(_ expected: String, next: String? = nil) {
        note(Errors.wrongType(found, expected: expected, next: next))
    }

    /// The value as text: any scalar, exactly as written.
    func text(_ expected: String = "a text", next: String? = nil) -> String? {
        guard case .scalar(let scalar) = node, scalar.json != .null else {
            mustBe(expected, next: bracedPlace.map { "Write \"{\($0)}\", in quotation marks." } ?? next)
            return nil
        }
        guard !scalar.string.unicodeScalars.contains("\0") else {
            note(Errors.nul)
            return nil
        }
        return scalar.string
    }

    /// The value as a name.
    func name(_ expected: String) -> Name? {
        guard let text = text(expected) else { return nil }
        do throws(BusError) { return try Name(text) } catch {
            note(Errors.notName(error.message))
            return nil
        }
    }

    /// The value as a whole number within bounds.
    func integer(_ bounds: ClosedRange<Int>) -> Int? {
        let expected = "an integer from \(bounds.lowerBound) to \(bounds.upperBound)"
        guard case .scalar(let scalar) = node, case .integer(let value) = scalar.json else {
            if let scalar = node.scalar, let number = Int(scalar.string), bounds.contains(number) {
                let isQuoted = scalar.style != .plain
                let found = isQuoted ? found : scalar.string
                note(Errors.numberAsText(found, expected: expected, number: number, isQuoted: isQuoted))
            } else {
                mustBe(expected)
            }
            return nil
        }
        guard let integer = Int(exactly: value), bounds.contains(integer) else {
            note(Errors.outOfBounds("\(value)", expected: expected))
            return nil
        }
        return integer
    }

    /// The value as a time in milliseconds within bounds.
    func milliseconds(_ bounds: ClosedRange<Int>) -> Duration? {
        integer(bounds).map { .milliseconds($0) }
    }

    /// The value as a Boolean, written `true` or `false`.
    var flag: Bool? {
        if case .scalar(let scalar) = node, case .bool(let value) = scalar.json { return value }
        mustBe("true or false", next: "Write true or false, without quotation marks.")
        return nil
    }

    /// The value as YAML text, without comments and layout, to recognise a change of the file.
    ///
    /// Two values have the same text if they have the same keys and values in the same order and the same YAML style.
    var revision: String { (try? Yams.serialize(node: node)) ?? "" }

    /// The value as a text, to recognise a change of the file.
    ///
    /// Equal values have the same text, regardless of their YAML style and the order of their keys.
    var plainRevision: String { Self.plainRevision(node) }

    private static func plainRevision(_ node: Node) -> String {
        switch node {
        case .scalar(let scalar): JSONValue.string(scalar.string).description
        case .sequence(let sequence): "[\(sequence.map(plainRevision).joined(separator: ","))]"
        case .mapping(let mapping):
            "{\(mapping.map { "\(plainRevision($0.key)):\(plainRevision($0.value))" }.sorted().joined(separator: ","))}"
        // The reading of the document has already resolved all aliases.
        case .alias: ""
        }
    }

    /// Reads the value as one of several words.
    ///
    /// - Parameters:
    ///   - choices: The words with their values.
    ///   - expected: The words as they appear in a message: "park or proceed".
    /// - Returns: The value of the word; nil after recording that the word is not one of the choices.
    func choice<Value>(_ choices: KeyValuePairs<String, Value>, _ expected: String) -> Value? {
        guard let text = text(expected) else { return nil }
        if let match = choices.first(where: { $0.key == text }) { return match.value }
        note(Errors.notChoice(text, expected: expected, guess: Spelling.guess(text, among: choices.map(\.key))))
        return nil
    }

    /// The elements of the value, which must be a list.
    func elements(_ expected: String = "a list", next: String? = nil) -> [Entry]? {
        guard case .sequence(let sequence) = node else {
            mustBe(expected, next: next)
            return nil
        }
        return sequence.enumerated().map { Entry(node: $1, key: "\(key)[\($0)]", problems: problems) }
    }

    /// The elements of the value, which must be a list with at least one element.
    ///
    /// - Parameters:
    ///   - expected: The list as it appears in a message: "a list of roles".
    ///   - next: The next move if the value is not a list; nil stands for writing what was expected.
    ///   - isOptional: Whether removing the key means the same as an empty list would.
    /// - Returns: The elements; nil after recording that the value is not such a list.
    func someElements(_ expected: String, next: String? = nil, isOptional: Bool = false) -> [Entry]? {
        guard let elements = elements(expected, next: next) else { return nil }
        if elements.isEmpty {
            let name = key.split(separator: ".").last.map(String.init) ?? key
            note(Errors.emptyList(expected: expected, optionalKey: isOptional ? name : nil))
            return nil
        }
        return elements
    }

    /// The texts of the value, which must be a list without duplicates.
    func distinctTexts(_ expected: String) -> [String]? {
        guard let elements = elements(expected) else { return nil }
        var texts: [String] = []
        var seen: Set<String> = []
        for element in elements {
            guard let text = element.text() else { continue }
            if !seen.insert(text).inserted {
                element.note(Errors.listedTwice(Printable.quoted(text)))
            }
            texts.append(text)
        }
        return texts
    }

    /// The members of the value, which must be a mapping; every key is allowed, but a second occurrence is a problem.
    func members(_ expected: String = "a mapping", next: String? = nil) -> [Member]? {
        guard case .mapping(let mapping) = node else {
            mustBe(expected, next: next)
            return nil
        }
        var members: [Member] = []
        var seen: Set<String> = []
        for (name, value) in mapping {
            guard case .scalar(let scalar) = name else {
                let problem = Entry(node: name, key: key, problems: problems)
                problem.note(Errors.keyOfWrongType(problem.found))
                continue
            }
            // Yams distinguishes `1` from `"1"`; here both are the same key.
            if !seen.insert(scalar.string).inserted {
                problems.add(Errors.keyTwiceInOtherMarks(scalar.string), at: scalar.mark.map(Position.init), key: key)
            }
            let path = key.isEmpty ? scalar.string : "\(key).\(scalar.string)"
            members.append(
                Member(
                    name: scalar.string,
                    entry: Entry(node: value, key: path, problems: problems),
                    position: scalar.mark.map(Position.init)
                )
            )
        }
        return members
    }

    /// A description of the value for messages, such as `a list` or `the text "x"`.
    private var found: String {
        switch node {
        case .mapping: return "a mapping"
        case .sequence: return "a list"
        case .alias: return "an alias"
        case .scalar(let scalar):
            switch scalar.json {
            case .null where scalar.string.isEmpty: return "nothing"
            case .null: return "nothing, because `\(scalar.string)` without quotation marks means no value"
            case .string: return "the text \(Printable.quoted(scalar.string))"
            default: return scalar.string
            }
        }
    }
}

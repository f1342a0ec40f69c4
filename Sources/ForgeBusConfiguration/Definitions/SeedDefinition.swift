import ForgeBusProtocol
import ForgeBusWorker

/// Reads the seeds of a pipeline from the file.
enum SeedDefinition {
    /// Reads the valid seeds, and records every problem.
    static func seeds(_ entry: Entry) -> [Seed] {
        let next = "Write each seed as `KEY:` with its type, such as `version: {type: string}`, and without a dash."
        return (entry.members("a mapping of keys to seeds", next: next) ?? []).compactMap(seed)
    }

    private static func seed(_ member: Member) -> Seed? {
        if let flaw = Names.flaw(in: member.name) {
            member.entry.problems.add(Errors.notName(flaw), at: member.position, key: member.entry.key)
            return nil
        }
        guard let fields = Fields(member.entry, .seed) else { return nil }
        let type = fields.required("type")?.valueType
        let isRequired = fields["required"].map(\.flag)
        let isSecret = fields["secret"].map(\.flag)
        guard let type, isRequired != .some(nil), isSecret != .some(nil) else { return nil }
        let hides = isSecret == true
        if hides, type != .string {
            fields.note(Errors.secretSeedOfOtherType, at: "secret")
            return nil
        }
        guard let given = fields["default"] else {
            // Without the keys `required` and `default`, a seed is required: if the author forgets a key, the worker
            // accepts fewer requests, not more.
            guard isRequired == false else { return .required(member.name, type, isSecret: hides) }
            return .optional(member.name, type, default: .null, isSecret: hides)
        }
        if hides {
            fields.note(Errors.defaultOfSecretSeed, at: "default")
            return nil
        }
        if isRequired == true {
            fields.note(Errors.defaultOfRequiredSeed, at: "default")
            return nil
        }
        return given.value(of: type).map { .optional(member.name, type, default: $0) }
    }
}

extension Entry {
    /// The value as the default of a seed of this type; nil after recording that the value has another type.
    fileprivate func value(of type: ValueType) -> JSONValue? {
        if type == .string { return text("a text").map { .string($0) } }
        guard let value = json else { return nil }
        switch (type, value) {
        case (.integer, .integer), (.number, .number), (.number, .integer), (.boolean, .bool), (.array, .array),
            (.object, .object):
            return value
        default:
            let isQuoted = node.scalar.map { $0.style != .plain } == true
            let expected = Self.phrase(of: type)
            mustBe(expected, next: isQuoted ? "Write \(expected) without quotation marks." : nil)
            return nil
        }
    }

    /// A value of this type, as messages about a YAML file call it.
    private static func phrase(of type: ValueType) -> String {
        switch type {
        case .string: "a text"
        case .integer: "an integer"
        case .number: "a number"
        case .boolean: "true or false"
        case .array: "a list"
        case .object: "a mapping"
        }
    }
}

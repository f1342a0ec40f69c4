import ForgeBusProtocol

/// Checks whether a gate with this rule can take a decision.
extension GateRule {
    /// The most bytes of a vote's value or reason; the limit is small, because the gate's value contains all votes.
    static let largestVote = 16_384

    /// The key under which an approval's value may contain its reason; the reason is a string.
    static let reason = "because"

    /// The error for a decision that a gate with this rule cannot take; nil if it can.
    func flaw(of outcome: Decision.Outcome) -> BusError? {
        if isQuorum, outcome.sizeInBytes > Self.largestVote {
            let what = outcome.kind == .approved ? "value" : "reason"
            let (most, size) = (Self.largestVote, outcome.sizeInBytes)
            let cause = "The \(what) of a vote may have at most \(most) bytes; found \(size)."
            return BusError(.badValue, cause, next: "Send a shorter \(what).")
        }
        guard case .approved(let bytes) = outcome else { return nil }
        // Each approval may have a reason, even if the rule does not list the member `because`.
        guard let members = value?.merging([Self.reason: .optional(.string)], uniquingKeysWith: { own, _ in own })
        else {
            return nil
        }
        let value = bytes.isEmpty ? .null : (try? JSONValue(parsing: bytes[...])) ?? .null
        let given: JSONObject
        switch value {
        case .null: given = [:]
        case .object(let object): given = object
        case .bool, .integer, .number, .string, .array:
            return .badValue("The value must be an object; found \(value.typeName).", self)
        }
        for (key, member) in members.sorted(by: { $0.key < $1.key }) {
            if let flaw = member.flaw(of: given[key], under: key) { return .badValue(flaw, self) }
        }
        guard let unknown = given.entries.first(where: { members[$0.key] == nil })?.key else { return nil }
        let guess = Spelling.guess(unknown, among: members.keys.sorted()).map { " Did you mean `\($0)`?" } ?? ""
        return .badValue("The gate takes no value \(Printable.quoted(unknown)).\(guess)", self)
    }
}

extension GateRule.Member {
    fileprivate func flaw(of value: JSONValue?, under key: String) -> String? {
        guard let value else {
            return isRequired ? Errors.valueMissing(key, type: type.rawValue) : nil
        }
        switch (type, value) {
        case (.string, .string), (.integer, .integer), (.number, .number), (.number, .integer), (.boolean, .bool),
            (.array, .array), (.object, .object):
            return nil
        default: return "The value `\(key)` must be of type \(type.rawValue); found \(value.typeName)."
        }
    }
}

extension BusError {
    fileprivate static func badValue(_ cause: String, _ rule: GateRule) -> BusError {
        let members = (rule.value ?? [:]).sorted { $0.key < $1.key }
        return Errors.badValue(cause, expected: members.map { ($0.key, $0.value.type.rawValue, $0.value.isRequired) })
    }
}

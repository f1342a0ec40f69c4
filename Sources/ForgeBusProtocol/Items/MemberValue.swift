/// A value of a member of an ``Item``.
package protocol MemberValue: Sendable {
    /// Reads the value; nil for a value of another type, and for an unknown word.
    init?(member value: JSONValue)

    /// The value as a worker sends it.
    var asMember: JSONValue { get }

    /// The schema of such values, for the OpenAPI document.
    static var schema: JSONValue { get }

    /// Checks a value that a worker sent.
    ///
    /// - Throws: ``BusError`` with code `bad_answer`; `place` says of which member.
    static func check(_ value: JSONValue, _ place: () -> String) throws(BusError)
}

extension MemberValue {
    package static func check(_ value: JSONValue, _ place: () -> String) throws(BusError) {
        if Self(member: value) == nil {
            let type = schema.object?["type"]?.string ?? "object"
            throw Errors.badAnswer("\(place()) is no \(type) but \(Printable.quoted(value.description))")
        }
    }
}

extension String: MemberValue {
    package init?(member value: JSONValue) {
        guard let text = value.string else { return nil }
        self = text
    }

    package var asMember: JSONValue { .string(self) }
    package static let schema: JSONValue = ["type": "string"]
}

extension Bool: MemberValue {
    package init?(member value: JSONValue) {
        guard let value = value.bool else { return nil }
        self = value
    }

    package var asMember: JSONValue { .bool(self) }
    package static let schema: JSONValue = ["type": "boolean"]
}

extension Int64: MemberValue {
    package init?(member value: JSONValue) {
        guard let value = value.integer else { return nil }
        self = value
    }

    package var asMember: JSONValue { .integer(self) }
    package static let schema: JSONValue = ["type": "integer", "format": "int64"]
}

extension Int: MemberValue {
    package init?(member value: JSONValue) {
        guard let value = value.integer else { return nil }
        self = Int(value)
    }

    package var asMember: JSONValue { .integer(Int64(self)) }
    package static let schema = Int64.schema
}

/// Any value.
extension JSONValue: MemberValue {
    package init?(member value: JSONValue) { self = value }
    package var asMember: JSONValue { self }
    package static let schema: JSONValue = [:]
}

extension JSONObject: MemberValue {
    package init?(member value: JSONValue) {
        guard let object = value.object else { return nil }
        self = object
    }

    package var asMember: JSONValue { .object(self) }
    package static let schema: JSONValue = ["type": "object", "additionalProperties": true]
}

extension Array: MemberValue where Element: MemberValue {
    package init?(member value: JSONValue) {
        guard let elements = value.array else { return nil }
        self = elements.compactMap { Element(member: $0) }
    }

    package var asMember: JSONValue { .array(map(\.asMember)) }
    package static var schema: JSONValue { ["type": "array", "items": Element.schema] }

    package static func check(_ value: JSONValue, _ place: () -> String) throws(BusError) {
        guard let elements = value.array else { throw Errors.badAnswer("\(place()) is no array") }
        for element in elements { try Element.check(element, place) }
    }
}

extension Item: MemberValue {
    package init?(member value: JSONValue) {
        guard let object = value.object, let item = try? Item(object) else { return nil }
        self = item
    }

    package var asMember: JSONValue { .object(json) }
    package static var schema: JSONValue { Members.all.reference }

    package static func check(_ value: JSONValue, _ place: () -> String) throws(BusError) {
        guard let object = value.object else { throw Errors.badAnswer("\(place()) is no object") }
        _ = try Item(object)
    }
}

extension DeclaredMembers {
    /// A reference to the schema.
    package var reference: JSONValue { Self.reference(to: name) }

    /// A reference to a schema of the OpenAPI document.
    package static func reference(to name: String) -> JSONValue {
        ["$ref": .string("#/components/schemas/\(name)")]
    }
}

// Words: an unknown one is nil, and no error, because a newer worker may have sent it.
extension MemberValue where Self: RawRepresentable, RawValue == String {
    package init?(member value: JSONValue) {
        guard let word = value.string, let known = Self(rawValue: word) else { return nil }
        self = known
    }

    package var asMember: JSONValue { .string(rawValue) }
    package static var schema: JSONValue { String.schema }

    package static func check(_ value: JSONValue, _ place: () -> String) throws(BusError) {
        try String.check(value, place)
    }
}

extension StateReport.State: MemberValue {}
extension Pong.State: MemberValue {}
extension Decision.Kind: MemberValue {}

extension Name: MemberValue {
    package init?(member value: JSONValue) {
        guard let text = value.string, let name = try? Name(text) else { return nil }
        self = name
    }

    package var asMember: JSONValue { .string(text) }
    package static let schema = String.schema
}

// Names of a worker's items, which the worker has checked.
extension MemberValue where Self: WrittenName {
    package init?(member value: JSONValue) {
        guard let text = value.string else { return nil }
        self.init(text)
    }

    package var asMember: JSONValue { .string(text) }
    package static var schema: JSONValue { String.schema }
}

extension RunID: MemberValue {}
extension SignalID: MemberValue {}
extension PipelineName: MemberValue {}

extension PauseItem: MemberValue {
    package init?(member value: JSONValue) {
        guard let pause = try? PauseItem(value) else { return nil }
        self = pause
    }

    package var asMember: JSONValue { .object(json) }
    package static let schema = PauseMembers.all.reference
}

extension ActionOutcome: MemberValue {
    package init?(member value: JSONValue) {
        guard let outcome = try? ActionOutcome(value) else { return nil }
        self = outcome
    }

    package var asMember: JSONValue { .object(json) }
    package static let schema = ActionMembers.all.reference
}

/// An object of an answer, such as a run or a gate, whose members have types.
///
/// `Members` declares each member once: its key, its type and what it means. The worker that writes the object,
/// everybody who reads it, and the schemas of the OpenAPI document use this one declaration.
///
/// ```swift
/// func summary(of run: RunItem) -> String { "\(run.id) of \(run.pipeline): \(run.title ?? "no title")" }
/// ```
@dynamicMemberLookup
public struct Item<Members: ItemMembers>: Hashable, Sendable {
    /// The whole object, with the members that this version does not know.
    public package(set) var json: JSONObject

    /// Makes an object without members; its maker sets the required ones.
    package init() { json = [:] }

    /// Reads an object that a worker sent.
    ///
    /// - Throws: ``BusError`` with code `bad_answer` if a required member is missing, or if a member has a wrong type.
    public init(_ json: JSONObject) throws(BusError) {
        for member in Members.all.descriptions {
            if let value = json[member.key] {
                try member.check(value) { "the member `\(member.key)` of the item \(Members.all.name)" }
            } else if member.isRequired {
                throw Errors.badAnswer("the item \(Members.all.name) has no member `\(member.key)`")
            }
        }
        self.json = json
    }

    /// The value of a member; nil if it is absent, or if it is a word that this version does not know.
    public package(set) subscript<Value>(dynamicMember path: KeyPath<Members, Member<Value>>) -> Value? {
        get {
            let member = Members.all.members[keyPath: path]
            return json[member.key].flatMap(member.form.read)
        }
        set {
            let member = Members.all.members[keyPath: path]
            json[member.key] = newValue.map(member.form.write)
        }
    }

    /// The value of a member that every such object has.
    public package(set) subscript<Value>(dynamicMember path: KeyPath<Members, RequiredMember<Value>>) -> Value {
        get {
            let member = Members.all.members[keyPath: path]
            guard let value = json[member.key].flatMap(member.form.read) else {
                fatalError("Internal error: an item \(Members.all.name) was made without its member \(member.key).")
            }
            return value
        }
        set {
            let member = Members.all.members[keyPath: path]
            json[member.key] = member.form.write(newValue)
        }
    }

    /// The value of a member, or its default if it is absent; the default is not written.
    public package(set) subscript<Value>(dynamicMember path: KeyPath<Members, DefaultMember<Value>>) -> Value {
        get {
            let member = Members.all.members[keyPath: path]
            return json[member.key].flatMap(member.form.read) ?? member.standard
        }
        set {
            let member = Members.all.members[keyPath: path]
            json[member.key] = newValue == member.standard ? Optional.none : member.form.write(newValue)
        }
    }
}

/// The members of an ``Item``, each a stored property; a property that has members itself adds them to the same object.
public protocol ItemMembers: Sendable {
    /// All members.
    static var all: DeclaredMembers<Self> { get }
}

/// The members of an ``Item``, made once.
public struct DeclaredMembers<Members: Sendable>: Sendable {
    fileprivate let members: Members
    /// The name of the schema: that of the type, without its last word.
    package let name: String
    package let descriptions: [MemberDescription]

    package init(_ members: Members) {
        self.members = members
        name = String("\(Members.self)".dropLast("Members".count))
        descriptions = MemberDescription.all(of: members)
    }
}

extension DeclaredMembers {
    /// The members' keys.
    package var keys: Set<String> { Set(descriptions.map(\.key)) }

    /// The name and the schema of the whole object, for the OpenAPI document.
    package var named: JSONObject.Entry {
        JSONObject.Entry(key: name, value: MemberDescription.schema(descriptions))
    }
}

/// The schemas of all items.
package enum DeclaredItems {
    package static let schemas = JSONObject(unique: [
        RunMembers.all.named, WaitMembers.all.named, OriginMembers.all.named, ActionMembers.all.named,
        SignalMembers.all.named, EndedSignalMembers.all.named, VoteMembers.all.named, EarlyMembers.all.named,
        EarlyDecisionMembers.all.named, PipelineMembers.all.named, SeedMembers.all.named, OnePerMembers.all.named,
        PipelineActionMembers.all.named, MonitorMembers.all.named, LastCycleMembers.all.named, PauseMembers.all.named,
        WorkerMembers.all.named, WorkerPauseMembers.all.named, FailingEventMembers.all.named, OutputMembers.all.named,
        OutputEntryMembers.all.named, HistoryMembers.all.named, HistoryEntryMembers.all.named,
        RunEventMembers.all.named, SignalEventMembers.all.named,
    ])
}

/// A member that an ``Item`` may lack.
public struct Member<Value: Sendable>: Sendable {
    fileprivate let key: String
    fileprivate let form: MemberForm<Value>
    private let isRequired: Bool
    private let sentence: String

    /// With `isRequired`, the member is always there, but may be a word that a version does not know.
    package init(_ key: String, _ sentence: String, isRequired: Bool = false, schema: JSONValue? = nil)
    where Value: MemberValue {
        (self.key, self.sentence, self.isRequired, form) = (key, sentence, isRequired, MemberForm(schema))
    }
}

/// A member that every ``Item`` of a kind has.
public struct RequiredMember<Value: Sendable>: Sendable {
    fileprivate let key: String
    fileprivate let form: MemberForm<Value>
    private let sentence: String

    package init(_ key: String, _ sentence: String, schema: JSONValue? = nil) where Value: MemberValue {
        (self.key, self.sentence, form) = (key, sentence, MemberForm(schema))
    }
}

/// A member with a default: an ``Item`` lacks it if it has this value.
public struct DefaultMember<Value: Sendable & Equatable>: Sendable {
    fileprivate let key: String
    fileprivate let form: MemberForm<Value>
    fileprivate let standard: Value
    private let sentence: String

    package init(_ key: String, _ standard: Value, _ sentence: String, schema: JSONValue? = nil)
    where Value: MemberValue {
        (self.key, self.standard, self.sentence, form) = (key, standard, sentence, MemberForm(schema))
    }
}

/// How the values of a member look in JSON.
struct MemberForm<Value: Sendable>: Sendable {
    let read: @Sendable (JSONValue) -> Value?
    let write: @Sendable (Value) -> JSONValue
    let check: @Sendable (JSONValue, () -> String) throws(BusError) -> Void
    let schema: JSONValue

    init(_ schema: JSONValue?) where Value: MemberValue {
        read = { Value(member: $0) }
        write = { $0.asMember }
        check = { value, place throws(BusError) in try Value.check(value, place) }
        self.schema = schema ?? Value.schema
    }
}

/// What is known of a member without its type.
package struct MemberDescription: Sendable {
    package let key: String
    package let isRequired: Bool
    let check: @Sendable (JSONValue, () -> String) throws(BusError) -> Void
    private let schema: JSONValue
    private let sentence: String

    init(_ key: String, _ sentence: String, isRequired: Bool, _ form: MemberForm<some Any>) {
        (self.key, self.sentence, self.isRequired) = (key, sentence, isRequired)
        (check, schema) = (form.check, form.schema)
    }

    /// The descriptions of all members that the properties of `members` declare, in their order.
    fileprivate static func all(of members: Any) -> [MemberDescription] {
        Mirror(reflecting: members).children.flatMap { child in
            if let member = child.value as? any DescribedMember { return [member.description] }
            return all(of: child.value)
        }
    }

    fileprivate static func schema(_ members: [MemberDescription]) -> JSONValue {
        var (properties, required): (JSONObject, [JSONValue]) = ([:], [])
        for member in members {
            if member.isRequired { required.append(.string(member.key)) }
            var schema = member.schema.object ?? [:]
            // What stands beside a reference would be ignored by older readers.
            if schema["$ref"] == nil { schema["description"] = .string(member.sentence) }
            properties[member.key] = .object(schema)
        }
        var object: JSONObject = ["type": "object"]
        if !required.isEmpty { object["required"] = .array(required) }
        object["properties"] = .object(properties)
        return .object(object)
    }
}

private protocol DescribedMember {
    var description: MemberDescription { get }
}

extension Member: DescribedMember {
    fileprivate var description: MemberDescription {
        MemberDescription(key, sentence, isRequired: isRequired, form)
    }
}

extension RequiredMember: DescribedMember {
    fileprivate var description: MemberDescription { MemberDescription(key, sentence, isRequired: true, form) }
}

extension DefaultMember: DescribedMember {
    fileprivate var description: MemberDescription { MemberDescription(key, sentence, isRequired: false, form) }
}

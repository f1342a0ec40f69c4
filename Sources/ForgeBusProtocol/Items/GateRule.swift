/// The rule of a gate: who may decide it, how many principals must, which value an approval needs, and what happens
/// while the gate waits.
///
/// A decider also needs the right to complete the gate's signal. A rule that distinguishes principals needs keys: a
/// worker without keys refuses to serve a gate with such a rule.
public struct GateRule: Hashable, Sendable {
    /// The principals and groups that may decide the gate; nil for everybody with the right to complete its signal.
    public var allowed: Set<Decider>?
    /// Whether the principal that requested the run may decide the gate.
    public var requesterMayDecide: Bool
    /// How many principals must approve, 1 to ``mostVotes``.
    public var approvals: Int
    /// How many principals must reject to reject the gate, 1 to ``mostVotes``.
    public var rejections: Int
    /// The ids of earlier gates of the run; a principal that decided one of them may not decide this gate.
    public var distinctFrom: Set<String>
    /// The required and optional members of an approval's value, by key; nil allows any value.
    ///
    /// Each approval may also have a reason: the member `because`, a string. With an empty dictionary, an approval may
    /// have no other member.
    public var value: [String: Member]?
    /// The time between two reminders to watchers while the gate waits, 1 ms to 365 days; nil for no reminders.
    public var reminder: Duration?
    /// The principals that may also decide the gate after it has waited for some time; nil for no escalation.
    public var escalation: Escalation?

    /// A principal, or the members of a group of the access policy.
    ///
    /// The members of a group are those that the policy lists when a decision comes.
    public enum Decider: Hashable, Sendable, ExpressibleByStringLiteral {
        /// The principal of this name.
        case principal(String)
        /// The members of the group of this name.
        case group(String)

        /// The principal of this name.
        public init(stringLiteral name: String) { self = .principal(name) }
    }

    /// Whether an approval's value must have a member, and the type of that member.
    public enum Member: Hashable, Sendable {
        /// Each approval must have the member.
        case required(ValueType)
        /// An approval may have the member.
        case optional(ValueType)
    }

    /// More principals that may decide a gate which has waited for some time.
    public struct Escalation: Hashable, Sendable {
        /// How long the gate waits before more principals may decide it, 1 ms to 365 days.
        public var after: Duration
        /// The principals and groups that may then decide the gate, too.
        public var allowed: Set<Decider>

        /// Creates an escalation: when the gate has waited for `after`, `allowed` may decide it, too.
        public init(after: Duration, allowed: Set<Decider>) {
            self.after = after
            self.allowed = allowed
        }
    }

    /// The largest number of approvals or rejections that a gate can need.
    public static let mostVotes = 100

    /// The largest number of members in ``value``.
    public static let mostMembers = 32

    /// Everybody with the right to complete the signal may decide the gate, and one decision is enough.
    public static let anybody = GateRule()

    /// Creates a rule; without arguments, it is the rule ``anybody``.
    ///
    /// - Parameters:
    ///   - allowed: The principals and groups that may decide; nil for everybody with the right to complete the signal.
    ///   - requesterMayDecide: Whether the principal that requested the run may decide.
    ///   - approvals: How many principals must approve, 1 to ``mostVotes``.
    ///   - rejections: How many principals must reject to reject the gate, 1 to ``mostVotes``.
    ///   - distinctFrom: The ids of earlier gates of the run; a principal that decided one may not decide this gate.
    ///   - value: The required and optional members of an approval's value, by key; nil allows any value.
    ///   - reminder: The time between two reminders to watchers while the gate waits; nil for no reminders.
    ///   - escalation: The principals that may also decide after some time; nil for no escalation.
    public init(
        allowed: Set<Decider>? = nil,
        requesterMayDecide: Bool = true,
        approvals: Int = 1,
        rejections: Int = 1,
        distinctFrom: Set<String> = [],
        value: [String: Member]? = nil,
        reminder: Duration? = nil,
        escalation: Escalation? = nil
    ) {
        self.allowed = allowed
        self.requesterMayDecide = requesterMayDecide
        self.approvals = approvals
        self.rejections = rejections
        self.distinctFrom = distinctFrom
        self.value = value
        self.reminder = reminder
        self.escalation = escalation
    }
}

// JSON.
extension GateRule {
    /// Reads the members of a rule; members that no rule has are left alone.
    ///
    /// - Throws: ``BusError`` with code `bad_answer` if a member has a wrong type, or an unknown value.
    public init(_ json: JSONObject) throws(BusError) {
        let fields = try AnswerFields(.object(json), of: "the rule of a gate")
        self.init()
        allowed = try Self.deciders(fields)
        if let may = json["requester_may_decide"] { requesterMayDecide = may.bool ?? false }
        if json["approvals"] != nil { approvals = Int(clamping: try fields.integer("approvals")) }
        if json["rejections"] != nil { rejections = Int(clamping: try fields.integer("rejections")) }
        distinctFrom = Set(try fields.texts("distinct_from"))
        if let expected = json["expects"] {
            var members: [String: Member] = [:]
            for entry in try AnswerFields(expected, of: "the values that a gate expects").object.entries {
                members[entry.key] = try Member(entry.value)
            }
            value = members
        }
        if json["remind_ms"] != nil { reminder = try fields.milliseconds("remind_ms") }
        if let more = json["escalate"] {
            let fields = try AnswerFields(more, of: "the escalation of a gate")
            let after = try fields.milliseconds("after_ms")
            escalation = Escalation(after: after, allowed: try Self.deciders(fields) ?? [])
        }
    }

    private static func deciders(_ fields: AnswerFields) throws(BusError) -> Set<Decider>? {
        guard fields.object["allowed"] != nil || fields.object["allowed_groups"] != nil else { return nil }
        let principals = try fields.texts("allowed").map { Decider.principal($0) }
        return Set(principals + (try fields.texts("allowed_groups").map { .group($0) }))
    }

    /// The rule's members that differ from ``anybody``: what SHOW tells, and what a store keeps.
    public var json: JSONObject {
        var json: JSONObject = [:]
        if let allowed { json.set(allowed, "allowed", "allowed_groups") }
        if !requesterMayDecide { json["requester_may_decide"] = false }
        if isQuorum {
            json["approvals"] = .integer(Int64(approvals))
            json["rejections"] = .integer(Int64(rejections))
        }
        if !distinctFrom.isEmpty {
            json["distinct_from"] = .array(distinctFrom.sorted().map { .string($0) })
        }
        if let value {
            var members: JSONObject = [:]
            for (key, member) in value.sorted(by: { $0.key < $1.key }) {
                members[key] = ["type": .string(member.type.rawValue), "required": .bool(member.isRequired)]
            }
            json["expects"] = .object(members)
        }
        json["remind_ms"] = reminder.map { .integer($0.milliseconds) }
        if let escalation {
            var more: JSONObject = ["after_ms": .integer(escalation.after.milliseconds)]
            more.set(escalation.allowed, "allowed", "allowed_groups")
            json["escalate"] = .object(more)
        }
        return json
    }
}

extension GateRule {
    /// Whether decisions are votes, because the gate needs more than one approval or more than one rejection.
    package var isQuorum: Bool { approvals > 1 || rejections > 1 }
}

extension GateRule.Member {
    fileprivate init(_ value: JSONValue) throws(BusError) {
        let fields = try AnswerFields(value, of: "a value that a gate expects")
        let type: ValueType = try fields.choice("type")
        self = fields.object["required"]?.bool == true ? .required(type) : .optional(type)
    }

    /// The type of the member's value.
    package var type: ValueType {
        switch self {
        case .required(let type), .optional(let type): type
        }
    }

    /// Whether each approval must have the member.
    package var isRequired: Bool {
        switch self {
        case .required: true
        case .optional: false
        }
    }
}

extension JSONObject {
    /// Writes the names of the principals and of the groups as two sorted lists, and leaves out an empty list.
    ///
    /// If both lists are empty, an empty list of principals is written.
    fileprivate mutating func set(_ deciders: Set<GateRule.Decider>, _ principalsKey: String, _ groupsKey: String) {
        var (principals, groups): ([String], [String]) = ([], [])
        for decider in deciders {
            switch decider {
            case .principal(let name): principals.append(name)
            case .group(let name): groups.append(name)
            }
        }
        if !principals.isEmpty || groups.isEmpty {
            self[principalsKey] = .array(principals.sorted().map { .string($0) })
        }
        if !groups.isEmpty { self[groupsKey] = .array(groups.sorted().map { .string($0) }) }
    }
}

import ForgeBusProtocol
public import ForgeOrchestrator

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
    public var distinctFrom: Set<ActionID>
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
        distinctFrom: Set<ActionID> = [],
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

extension GateRule {
    /// Whether the rule needs a worker with keys.
    var needsIdentities: Bool {
        allowed != nil || !requesterMayDecide || isQuorum || !distinctFrom.isEmpty || escalation != nil
    }

    /// Whether decisions are votes, because the gate needs more than one approval or more than one rejection.
    var isQuorum: Bool { approvals > 1 || rejections > 1 }

    /// How many votes of this kind decide the gate.
    func need(of kind: Decision.Kind) -> Int {
        switch kind {
        case .approved: approvals
        case .rejected: rejections
        }
    }

    /// Why the rule is invalid, as the end of a sentence; nil if it is valid.
    var flaw: String? {
        let counts = 1...Self.mostVotes
        if !counts.contains(approvals) { return "it needs \(approvals) approvals; 1 to \(Self.mostVotes) are possible" }
        if !counts.contains(rejections) {
            return "it needs \(rejections) rejections; 1 to \(Self.mostVotes) are possible"
        }
        if let value, value.count > Self.mostMembers {
            return "it expects \(value.count) values; at most \(Self.mostMembers) are allowed"
        }
        if let reminder, !Self.isTime(reminder) {
            return Errors.badTime("between reminders", reminder)
        }
        guard let escalation else { return nil }
        if !Self.isTime(escalation.after) {
            return Errors.badTime("before the escalation", escalation.after)
        }
        return allowed == nil ? Errors.escalatesToAll : nil
    }

    /// Whether a record can store the time exactly: whole milliseconds, from 1 ms to 365 days.
    private static func isTime(_ time: Duration) -> Bool {
        (.milliseconds(1) ... .seconds(365 * 86_400)).contains(time) && time == .milliseconds(time.milliseconds)
    }

    /// The principals that the rule names, including those in its escalation.
    var namedPrincipals: Set<String> {
        Set(deciders.compactMap { if case .principal(let name) = $0 { name } else { nil } })
    }

    /// The groups that the rule names, including those in its escalation.
    var namedGroups: Set<String> { Set(deciders.compactMap { if case .group(let name) = $0 { name } else { nil } }) }

    private var deciders: Set<Decider> { (allowed ?? []).union(escalation?.allowed ?? []) }
}

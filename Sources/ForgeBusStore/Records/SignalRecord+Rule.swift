extension SignalRecord {
    /// The rule of a wait: who may decide the signal, by how many, and what happens meanwhile.
    public struct Rule: Hashable, Sendable {
        /// The principals and groups that may decide; nil for everybody with the right to complete the signal.
        public var allowed: Deciders?
        /// Whether the principal that requested the run may decide.
        public var requesterMayDecide: Bool
        /// How many approvals approve the gate.
        public var approvals: Int
        /// How many rejections reject the gate.
        public var rejections: Int
        /// The ids of the run's actions whose gates other principals must have decided, sorted.
        public var distinctFrom: [String]
        /// The members that the value of an approval has, sorted by key; nil for any value.
        public var value: [Member]?
        /// The time between two reminders, in milliseconds; nil for none.
        public var reminder: Int64?
        /// When more principals may decide, and which ones; nil for never.
        public var escalation: Escalation?

        /// Creates a rule; no parameter has a default, because a value left out would be lost at a restart.
        public init(
            allowed: Deciders?,
            requesterMayDecide: Bool,
            approvals: Int,
            rejections: Int,
            distinctFrom: [String],
            value: [Member]?,
            reminder: Int64?,
            escalation: Escalation?
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

        /// Creates the rule of a wait that a program of form 1 or 2 stored: one decision of an allowed principal.
        init(allowed: Set<String>?, requesterMayDecide: Bool) {
            self.init(
                allowed: allowed.map { Deciders(principals: $0, groups: []) },
                requesterMayDecide: requesterMayDecide,
                approvals: 1,
                rejections: 1,
                distinctFrom: [],
                value: nil,
                reminder: nil,
                escalation: nil
            )
        }
    }

    /// Principals, by their own names and by their groups.
    public struct Deciders: Hashable, Sendable {
        /// Names of principals.
        public var principals: Set<String>
        /// Names of groups of the access policy.
        public var groups: Set<String>

        /// Creates a set of principals and groups.
        public init(principals: Set<String>, groups: Set<String>) {
            self.principals = principals
            self.groups = groups
        }
    }

    /// A member of the value that an approval has.
    public struct Member: Hashable, Sendable {
        /// The member's key.
        public var key: String
        /// The name of the member's type.
        public var type: String
        /// Whether each approval has the member.
        public var isRequired: Bool

        /// Creates a member called `key`.
        public init(key: String, type: String, isRequired: Bool) {
            self.key = key
            self.type = type
            self.isRequired = isRequired
        }
    }

    /// When more principals may decide a gate, and which ones.
    public struct Escalation: Hashable, Sendable {
        /// The time after the gate's opening, in milliseconds.
        public var after: Int64
        /// The principals and groups that may then decide, too.
        public var allowed: Deciders

        /// Creates an escalation.
        public init(after: Int64, allowed: Deciders) {
            self.after = after
            self.allowed = allowed
        }
    }
}

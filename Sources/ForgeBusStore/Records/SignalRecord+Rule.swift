extension SignalRecord {
    /// The rule of a wait: who may decide the signal, how many decisions are needed, and what happens during the wait.
    public struct Rule: Hashable, Sendable {
        /// The principals and groups that may decide; nil if every principal with the right to complete the signal may
        /// decide.
        public var allowed: Deciders?
        /// Whether the principal that requested the run may decide.
        public var requesterMayDecide: Bool
        /// The number of approvals that the gate needs.
        public var approvals: Int
        /// The number of rejections that reject the gate.
        public var rejections: Int
        /// The ids of earlier gates of the run, sorted; a principal that decided one of them may not decide this gate.
        public var distinctFrom: [String]
        /// The members that the value of an approval may have, sorted by key; nil if any value is allowed.
        public var value: [Member]?
        /// The time between two reminders, in milliseconds; nil if there are no reminders.
        public var reminder: Int64?
        /// When the gate escalates, and which principals may then also decide; nil if the gate does not escalate.
        public var escalation: Escalation?

        /// Creates a rule.
        ///
        /// No parameter has a default, because a restart would lose a value that somebody forgot to pass.
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
    }

    /// Principals, given by their own names or by their groups.
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

    /// A member that the value of an approval may have.
    public struct Member: Hashable, Sendable {
        /// The member's key.
        public var key: String
        /// The name of the member's type.
        public var type: String
        /// Whether the value of each approval must have the member.
        public var isRequired: Bool

        /// Creates a member called `key`.
        public init(key: String, type: String, isRequired: Bool) {
            self.key = key
            self.type = type
            self.isRequired = isRequired
        }
    }

    /// When a gate escalates, which means that more principals may decide it, and which principals these are.
    public struct Escalation: Hashable, Sendable {
        /// The time from the opening of the gate to its escalation, in milliseconds.
        public var after: Int64
        /// The principals and groups that may also decide after that time.
        public var allowed: Deciders

        /// Creates an escalation.
        public init(after: Int64, allowed: Deciders) {
            self.after = after
            self.allowed = allowed
        }
    }
}

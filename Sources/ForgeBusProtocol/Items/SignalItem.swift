/// A signal or gate that waits, or whose outcome or early decisions a worker keeps, as LIST and SHOW tell it.
///
/// A list of signals has those that wait, and does not name their state. Times are in milliseconds since 1970, by the
/// worker's clock.
public typealias SignalItem = Item<SignalMembers>

/// The members of a ``SignalItem``.
public struct SignalMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// The id of the signal or gate.
    public let id = RequiredMember<SignalID>("signal", "The signal's id.")
    /// Whether this is a gate or a plain signal; nil if nothing has waited for the signal yet.
    public let kind = Member<SignalKind>("kind", "gate or signal; absent if nobody has waited for it yet.")
    /// The run whose action waits or waited for the signal; nil if no run has waited for it.
    public let run = Member<RunID>("run", "The run that waits.")
    /// The id of the action that waits or waited for the signal.
    public let action = Member<String>("action", "The action that waits.")
    /// What the waiting run is about, as its pipeline's title says.
    public let title = Member<String>("title", "What the waiting run is about.")
    /// The name of the process that announced the signal; nil if no process has.
    public let process = Member<String>("process", "The process that announced the signal.")
    /// When the wait began.
    public let openedUnixMilliseconds = Member<Int64>(
        "opened_at_ms",
        "When the wait began, in milliseconds since 1970."
    )
    /// When the wait expires; nil without a deadline, or if the signal does not wait.
    public let deadlineUnixMilliseconds = Member<Int64>("deadline_at_ms", "When the wait expires.")
    /// What the gate tells those who decide.
    public let message = Member<String>("message", "What the gate tells those who decide.")
    /// The principal that requested the waiting run.
    public let requester = Member<String>("requester", "Who requested the waiting run.")
    /// The members of the gate's rule.
    let rule = RuleMembers()
    /// What the principal of this client can do about a waiting gate.
    public let you = Member<GateAbility>("you", "Whether the sender may decide: may_decide, voted or may_not.")
    /// Whether more principals may decide now, because the gate has waited for long.
    public let isEscalated = DefaultMember<Bool>("escalated", false, "Whether more principals may decide now.")
    /// The votes, in the order in which they came; nil if the gate needs only one and has none.
    public let votes = Member<[VoteItem]>("votes", "The votes, in the order in which they came.")
    /// The principals that may decide and have not voted; nil in a list, and from a worker without keys.
    public let mayDecide = Member<[String]>("may_decide", "The principals that may decide and have not voted.")
    /// The signal's state; nil in a list, and if the client does not know the worker's word.
    public let state = Member<SignalState>(
        "state",
        "waiting, approved, rejected, expired, closed or buffered; absent in a list."
    )
    /// Who waits or waited, as a text.
    public let owner = Member<String>("owner", "Who waits, as a text.")
    /// The principal that decided; of a buffered signal, an array of those that sent early decisions.
    public let by = Member<JSONValue>(
        "by",
        "Who decided; several if buffered.",
        schema: ["type": ["string", "array"], "items": ["type": "string"]]
    )
    /// The principal that sent the decision for the one that decided.
    public let via = Member<String>("via", "The principal that sent the decision for the one that decided.")
    /// When the signal was decided.
    public let decidedUnixMilliseconds = Member<Int64>("decided_at_ms", "When the signal was decided.")
    /// The value of the approval, if it is small enough to be shown and still kept.
    public let value = Member<JSONValue>("value", "The value of the approval.")
    /// The reason of the rejection, if it is small enough to be shown and still kept.
    public let reason = Member<String>("reason", "The reason of the rejection.")
    /// Why the signal is closed.
    public let why = Member<String>("why", "Why the signal is closed.")
    /// The early decisions on a buffered signal.
    public let decisions = DefaultMember<[EarlyDecisionItem]>(
        "decisions",
        [],
        "The early decisions on a buffered signal."
    )
}

extension Item<SignalMembers> {
    /// The rule of a gate; nil for a plain signal, and for a rule with words that this version does not know.
    public var rule: GateRule? { self.kind == .gate ? try? GateRule(json) : nil }

    /// Whether the signal waits for a decision; a list has only those that do, and does not name their state.
    public var isWaiting: Bool { json["state"] == nil || self.state == .waiting }
}

/// A gate or signal of a run that has ended.
public typealias EndedSignalItem = Item<EndedSignalMembers>

/// The members of an ``EndedSignalItem``.
public struct EndedSignalMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// The id of the signal or gate.
    public let id = RequiredMember<SignalID>("signal", "The signal's id.")
    /// Whether this is a gate or a plain signal.
    public let kind = Member<SignalKind>("kind", "gate or signal.")
    /// The action that waited.
    public let action = Member<String>("action", "The action that waited.")
    /// When the wait began.
    public let openedUnixMilliseconds = Member<Int64>("opened_at_ms", "When the wait began.")
    /// What the gate told those who decide.
    public let message = Member<String>("message", "What the gate told those who decide.")
    /// How the wait ended.
    public let state = Member<SignalState>("state", "approved, rejected, expired or closed.")
    /// The principal that decided.
    public let by = Member<String>("by", "The principal that decided.")
    /// The principal that sent the decision for the one that decided.
    public let via = Member<String>("via", "The principal that sent the decision for it.")
    /// When it was decided.
    public let decidedUnixMilliseconds = Member<Int64>("decided_at_ms", "When it was decided.")
    /// The value of the approval, if it is small enough to be shown.
    public let value = Member<JSONValue>("value", "The value of the approval.")
    /// The reason of the rejection, if it is small enough to be shown.
    public let reason = Member<String>("reason", "The reason of the rejection.")
    /// The votes, in the order in which they came; nil if one decision was enough.
    public let votes = Member<[VoteItem]>("votes", "The votes, in the order in which they came.")
    /// Why the signal is closed.
    public let why = Member<String>("why", "Why it is closed.")
}

/// A vote on a gate.
public typealias VoteItem = Item<VoteMembers>

/// The members of a ``VoteItem``.
public struct VoteMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// The principal that voted.
    public let principal = RequiredMember<String>("by", "The principal.")
    /// Whether the vote approves or rejects; nil if the client does not know the worker's word.
    public let decision = Member<Decision.Kind>("decision", "approved or rejected.", isRequired: true)
    /// When the vote came.
    public let unixMilliseconds = RequiredMember<Int64>("at_ms", "When it came, in milliseconds since 1970.")
    /// The principal that sent the vote for the one that voted.
    public let via = Member<String>("via", "The principal that sent the vote for it.")
    /// The value of the approval, if it is small enough to be shown; nil in a list.
    public let value = Member<JSONValue>("value", "The value of the approval.")
    /// The reason of the rejection, if it is small enough to be shown; nil in a list.
    public let reason = Member<String>("reason", "The reason of the rejection.")
}

/// The early decisions on a signal that nothing waits for yet, as LIST tells them.
public typealias EarlyItem = Item<EarlyMembers>

/// The members of an ``EarlyItem``.
public struct EarlyMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// The id of the signal.
    public let id = RequiredMember<SignalID>("signal", "The signal's id.")
    /// The early decisions in the order in which they came: at most one for each principal, and at most the first 100.
    public let decisions = RequiredMember<[EarlyDecisionItem]>("decisions", "The early decisions on the signal.")
}

/// A decision on a signal that nothing waits for yet.
public typealias EarlyDecisionItem = Item<EarlyDecisionMembers>

/// The members of an ``EarlyDecisionItem``.
public struct EarlyDecisionMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// Whether the decision approves or rejects; nil if the client does not know the worker's word.
    public let decision = Member<Decision.Kind>("decision", "approved or rejected.", isRequired: true)
    /// The principal that decided.
    public let principal = RequiredMember<String>("by", "The principal.")
    /// When the decision came.
    public let unixMilliseconds = RequiredMember<Int64>("at_ms", "When it came.")
    /// When the worker drops the decision.
    public let untilUnixMilliseconds = RequiredMember<Int64>("until_ms", "When the worker drops it.")
    /// Whether the sender asked the worker to keep the decision; if not, a gate does not use it.
    public let isAsked = RequiredMember<Bool>("asked", "Whether the sender asked the worker to keep it.")
    /// The principal that sent the decision for the one that decided.
    public let via = Member<String>("via", "The principal that sent it for the other.")
}

/// The kinds of signals.
public enum SignalKind: String, CaseIterable, Hashable, Sendable, MemberValue {
    /// A gate, which is approved or rejected.
    case gate
    /// A plain signal, which can only be completed.
    case signal
}

/// The states of a signal.
public enum SignalState: String, CaseIterable, Hashable, Sendable, MemberValue {
    /// The signal waits for a decision.
    case waiting
    /// The gate was approved, or the plain signal was completed.
    case approved
    /// The gate was rejected.
    case rejected
    /// The deadline passed before a decision came.
    case expired
    /// The wait ended before a decision came, for instance because the waiting run was cancelled.
    case closed
    /// Only early decisions came: nothing waits for the signal yet.
    case buffered

    /// The state of a decided signal.
    package init(_ kind: Decision.Kind) {
        self =
            switch kind {
            case .approved: .approved
            case .rejected: .rejected
            }
    }
}

/// What a principal can do about a waiting gate.
public enum GateAbility: String, CaseIterable, Hashable, Sendable, MemberValue {
    /// The principal may decide the gate.
    case mayDecide = "may_decide"
    /// The principal has voted, and the gate waits for more votes.
    case voted
    /// The principal may not decide, because of the gate's rule or because a right is missing.
    case mayNot = "may_not"
}

/// The members that a ``GateRule`` adds to a gate.
package struct RuleMembers: ItemMembers {
    package static let all = DeclaredMembers(Self())

    let allowed = Member<[String]>("allowed", "The principals that may decide.")
    let allowedGroups = Member<[String]>("allowed_groups", "The groups whose principals may decide.")
    let requesterMayDecide = Member<Bool>(
        "requester_may_decide",
        "False if the requester of the run may not decide."
    )
    let approvals = Member<Int>("approvals", "How many principals must approve.")
    let rejections = Member<Int>("rejections", "How many principals must reject.")
    let distinctFrom = Member<[String]>(
        "distinct_from",
        "Earlier gates whose deciders may not decide this one."
    )
    let expects = Member<JSONObject>("expects", "The values that an approval may or must have.")
    let reminder = Member<Int>("remind_ms", "How often watchers are reminded, in milliseconds.")
    let escalation = Member<JSONObject>("escalate", "Who else may decide after which time.")
}

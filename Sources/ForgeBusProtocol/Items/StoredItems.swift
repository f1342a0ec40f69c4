/// What the actions of a run printed, as SHOW tells it.
public typealias OutputItem = Item<OutputMembers>

/// The members of an ``OutputItem``.
public struct OutputMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// The run.
    public let name = RequiredMember<String>("name", "What was asked for.")
    /// The attempts that printed something, oldest first.
    public let entries = RequiredMember<[OutputEntryItem]>("entries", "The entries, oldest first.")
    /// Whether older attempts are left out, because one message cannot hold them.
    public let isTruncated = DefaultMember<Bool>("truncated", false, "Whether older entries are left out.")
}

/// What one attempt at an action of a run printed.
public typealias OutputEntryItem = Item<OutputEntryMembers>

/// The members of an ``OutputEntryItem``.
public struct OutputEntryMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// When the attempt ended, in milliseconds since 1970, by the worker's clock.
    public let unixMilliseconds = RequiredMember<Int64>(
        "at_ms",
        "When the attempt ended, in milliseconds since 1970."
    )
    /// The action.
    public let action = RequiredMember<String>("action", "The action.")
    /// The number of the attempt, from 1.
    public let attempt = RequiredMember<Int>("attempt", "The number of the attempt, from 1.")
    /// Why the attempt failed; nil if it did not fail.
    public let reason = Member<String>("reason", "Why the attempt failed.")
    /// The end of its standard output: at most the last 64 KiB.
    public let output = RequiredMember<String>("output", "The end of standard output.")
    /// The end of its standard error: at most the last 64 KiB.
    public let errors = RequiredMember<String>("errors", "The end of standard error.")
    /// How many bytes of the output's beginning are left out.
    public let outputOmitted = RequiredMember<Int>(
        "output_omitted",
        "How many bytes of the output's beginning are left out."
    )
    /// How many bytes of the errors' beginning are left out.
    public let errorsOmitted = RequiredMember<Int>(
        "errors_omitted",
        "How many bytes of the errors' beginning are left out."
    )
}

/// What happened to a run, a signal or a monitor, as SHOW tells it.
public typealias HistoryItem = Item<HistoryMembers>

/// The members of a ``HistoryItem``.
public struct HistoryMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// The run, signal or monitor.
    public let name = RequiredMember<String>("name", "What was asked for.")
    /// What happened, oldest first.
    public let entries = RequiredMember<[HistoryEntryItem]>("entries", "The entries, oldest first.")
    /// Whether older entries are left out, because one message cannot hold them.
    public let isTruncated = DefaultMember<Bool>("truncated", false, "Whether older entries are left out.")
}

/// One thing that happened; its other members are details, such as a state, a count or a reason.
public typealias HistoryEntryItem = Item<HistoryEntryMembers>

/// The members of a ``HistoryEntryItem``.
public struct HistoryEntryMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// When it happened, in milliseconds since 1970, by the worker's clock.
    public let unixMilliseconds = RequiredMember<Int64>("at_ms", "When it happened, in milliseconds since 1970.")
    /// What happened.
    public let event = RequiredMember<String>("event", "What happened.")
    /// The run to which it happened.
    public let run = Member<RunID>("run", "The run.")
    /// The signal to which it happened.
    public let signal = Member<SignalID>("signal", "The signal.")
    /// The monitor to which it happened.
    public let monitor = Member<String>("monitor", "The monitor.")
    /// The principal that caused it.
    public let principal = Member<String>("principal", "Who caused it.")
    /// The id of the request that caused it.
    public let request = Member<String>("request", "The id of the request that caused it.")
    /// The label that the sender of that request gave itself.
    public let source = Member<String>("source", "The label of that request's sender.")
}

extension Item<HistoryEntryMembers> {
    /// What else is told of it, without the members that every kind of entry may have.
    public var details: JSONObject {
        var details = json
        for key in HistoryEntryMembers.all.keys { details[key] = nil }
        return details
    }
}

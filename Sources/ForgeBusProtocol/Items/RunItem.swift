/// A run that a worker keeps, as LIST and SHOW tell it.
///
/// In a list, a run has only the members down to ``RunMembers/holder``, and its reason has at most 256 bytes. Times are in
/// milliseconds since 1970, by the worker's clock.
public typealias RunItem = Item<RunMembers>

/// The members of a ``RunItem``.
public struct RunMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// The run's id.
    public let id = RequiredMember<RunID>("run", "The run's id.")
    /// The name of the run's pipeline.
    public let pipeline = RequiredMember<PipelineName>("pipeline", "The run's pipeline.")
    /// The run's state; nil if the client does not know the worker's word, which `json` then contains.
    public let state = Member<StateReport.State>(
        "state",
        """
        queued, running, waiting, retrying, parked or stopping; or, of an ended run, completed, failed, timed_out, \
        cancelled or lost.
        """,
        isRequired: true
    )
    /// The id of the request that began the run.
    public let request = RequiredMember<String>("id", "The id of the request that began the run.")
    /// When the worker accepted the run.
    public let acceptedUnixMilliseconds = RequiredMember<Int64>(
        "accepted_at_ms",
        "When the worker accepted the run, in milliseconds since 1970."
    )
    /// The principal that requested the run.
    public let principal = RequiredMember<String>("principal", "Who requested the run.")
    /// What the run is about, as its pipeline's title says; nil if the pipeline has none.
    public let title = Member<String>("title", "What the run is about, as its pipeline's title says.")
    /// When the run ended; nil for an unfinished run.
    public let endedUnixMilliseconds = Member<Int64>("ended_at_ms", "When the run ended.")
    /// The id of the action that an unfinished run executes, waits at or is parked at.
    ///
    /// It is nil before the worker has decided which actions the run executes, after the last action, and for a run
    /// that has ended.
    public let action = Member<String>("action", "The action at which an unfinished run is.")
    /// The signal that a waiting run waits for; one of them if there are several.
    public let signal = Member<SignalID>("signal", "The signal that the run waits for.")
    /// When a retrying run tries again.
    public let dueUnixMilliseconds = Member<Int64>("due_at_ms", "When a retrying run tries again.")
    /// Why the run is parked, stopping or waiting for another attempt, or why it ended without completing.
    public let reason = Member<String>(
        "reason",
        "Why the run is parked or stopping, why its last attempt failed, or why it ended so."
    )
    /// The pause of its pipeline because of which a queued run gets no slot.
    public let pause = Member<PauseItem>("paused", "Why a queued run gets no slot.")
    /// The exclusive key of an unfinished run, which one run at a time holds; nil if the run has none.
    public let key = Member<String>("key", "The exclusive key of an unfinished run.")
    /// The run that holds the key for which a queued run waits; nil if it waits for none, or the reader may not read that
    /// run.
    public let holder = Member<RunID>("holder", "The run that holds the key for which a queued run waits.")
    /// When the run got its first slot; nil if it has had none yet.
    public let beganUnixMilliseconds = Member<Int64>("began_at_ms", "When the run began to execute.")
    /// The deadline of the run; nil without a deadline, while the run is parked, and after its end.
    public let deadlineUnixMilliseconds = Member<Int64>("deadline_at_ms", "When the run times out.")
    /// What the run waits for; empty if it waits for nothing or only for a slot.
    public let waits = DefaultMember<[WaitItem]>("waits", [], "What an unfinished run waits for.")
    /// What requested the run, if no sender did.
    public let origin = Member<OriginItem>("origin", "What requested the run, if no sender did.")
    /// The actions that have ended.
    public let actions = DefaultMember<[ActionOutcome]>("actions", [], "The actions that have ended.")
    /// The actions that had not returned when the run ended.
    public let abandoned = DefaultMember<[String]>(
        "abandoned",
        [],
        "The actions that had not returned when the run ended."
    )
    /// The seeds that the request gave the run, without the secret ones; empty if none are kept.
    public let seeds = DefaultMember<JSONObject>("seeds", [:], "The seeds of the run that are not secret.")
    /// The gates and signals of the run that have ended, in the order in which they did.
    public let signals = DefaultMember<[EndedSignalItem]>(
        "signals",
        [],
        "The gates and signals of the run that have ended."
    )
    /// Whether the seeds and signals of an ended run are still kept.
    public let isKept = DefaultMember<Bool>(
        "kept",
        true,
        "False if the seeds and signals of this ended run are no longer kept."
    )
    /// The outputs of an ended run; empty if one message cannot hold them.
    public let outputs = DefaultMember<JSONObject>("outputs", [:], "The outputs of an ended run.")
    /// Whether the outputs are left out, because one message cannot hold them.
    public let isTruncated = DefaultMember<Bool>("truncated", false, "True if the answer has no room for the outputs.")
}

/// What a run waits for.
public typealias WaitItem = Item<WaitMembers>

/// The members of a ``WaitItem``: of a wait for a signal, for a run, for another attempt or for a redrive.
public struct WaitMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// The action that waits.
    public let action = Member<String>("action", "The action that waits.")
    /// The kind of wait: `waiting`, `retrying` or `parked`; nil if the client does not know the worker's word.
    public let state = Member<StateReport.State>("state", "waiting, retrying or parked.", isRequired: true)
    /// The signal that the action waits for.
    public let signal = Member<SignalID>("signal", "The signal that it waits for.")
    /// The run whose end the action waits for.
    public let run = Member<RunID>("run", "The run whose end it waits for.")
    /// When the wait for a signal expires; nil without a deadline.
    public let deadlineUnixMilliseconds = Member<Int64>("deadline_at_ms", "When the wait expires.")
    /// What a gate tells those who decide.
    public let message = Member<String>("message", "What the gate tells those who decide.")
    /// When the action is tried again.
    public let dueUnixMilliseconds = Member<Int64>("due_at_ms", "When the action is tried again.")
    /// Why the run is parked until somebody redrives or cancels it.
    public let reason = Member<String>("reason", "Why the run is parked.")
}

/// What requested a run that no sender requested.
public typealias OriginItem = Item<OriginMembers>

/// The members of an ``OriginItem``.
public struct OriginMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// The run whose action requested it.
    public let run = Member<RunID>("run", "The run whose action requested it.")
    /// The monitor whose action requested it.
    public let monitor = Member<String>("monitor", "The monitor whose action requested it.")
    /// The action that requested it.
    public let action = Member<String>("action", "The action that requested it.")
    /// The event of the worker that requested it.
    public let event = Member<String>("event", "The event of the worker that requested it.")
    /// The principals that count as requesters besides.
    public let causers = DefaultMember<[String]>("causers", [], "The principals that count as requesters besides.")
}

/// The members of an ``ActionOutcome``.
package struct ActionMembers: ItemMembers {
    package static let all = DeclaredMembers(Self())

    let action = RequiredMember<String>("action", "The action's id.")
    let result = RequiredMember<String>("result", "completed, skipped or failed.")
    let reason = Member<String>("reason", "Why the action failed.")
    let start = RequiredMember<Int>(
        "start_us",
        "When the action began, in microseconds since its run or cycle began."
    )
    let duration = RequiredMember<Int>("duration_us", "How long the action took, in microseconds.")
}

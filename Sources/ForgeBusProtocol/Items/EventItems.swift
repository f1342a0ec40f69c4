/// What an EVENT tells of a run.
public typealias RunEventItem = Item<RunEventMembers>

/// The members of a ``RunEventItem``.
public struct RunEventMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// The run's id.
    public let run = RequiredMember<RunID>("run", "The run's id.")
    /// The name of the run's pipeline.
    public let pipeline = RequiredMember<PipelineName>("pipeline", "The run's pipeline.")
    /// The run's new state; nil if the client does not know the worker's word.
    public let state = Member<StateReport.State>("state", "The run's new state.", isRequired: true)
}

/// What an EVENT tells of a signal or gate.
public typealias SignalEventItem = Item<SignalEventMembers>

/// The members of a ``SignalEventItem``.
public struct SignalEventMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// The signal's id.
    public let signal = RequiredMember<SignalID>("signal", "The signal's id.")
    /// The signal's new state, or what happened while it waits: `voted`, `unvoted` or `escalated`.
    public let state = RequiredMember<String>("state", "The signal's new state, or voted, unvoted or escalated.")
    /// In a reminder, how long the gate has waited, in milliseconds.
    public let waitedMilliseconds = Member<Int64>("waited_ms", "In a reminder, how long the gate has waited.")
    /// After a vote, the number of votes so far.
    public let have = Member<Int>("have", "After a vote, the number of votes so far.")
    /// After a vote, the number of votes that decides.
    public let need = Member<Int>("need", "After a vote, the number of votes that decides.")
}

import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// An event for the core.
enum Event: Sendable {
    /// A well-formed request came.
    case received(Received)
    /// An action of a run began or ended, and left these values; `checkpoint` resumes once that is committed.
    case transition(Name, PipelineTransition, RunValues = RunValues(), checkpoint: WaiterID? = nil)
    /// A run's actions have finished.
    case runEnded(Name, [ActionOutcome], outputs: JSONObject, flaw: String?)
    /// A run was suspended at an action.
    case rested(RunRest)
    /// A wait for a signal was opened.
    case opened(SignalOpening)
    /// An action of a cancelled run did not return in time.
    case abandoned(Name, action: String?)
    /// An event of a watch was handed to its connection, or lost because the connection has no room.
    case told(ToldEvent, isTaken: Bool)
    /// A connection has closed.
    case disconnected(ConnectionID)
    /// The connections of ``WorkerCore/doubtfulConnections(before:at:)`` were checked; these are gone.
    case probed(gone: [ConnectionID])
    /// The waiter gave up.
    case withdrawn(Name, WaiterID, why: String)
    /// A monitor's cycle has ended.
    case cycleEnded(monitor: Int, MonitorOutcome)
    /// A monitor's exclusion began or ended, or it holds a cycle back, or has begun that cycle.
    case standingChanged(monitor: Int, MonitorStanding)
    /// A publication came; others may have been lost.
    case published(Publication, by: AccessPolicy.Principal, othersMayBeLost: Bool)
    /// Publications may have been lost.
    case publicationsMayBeLost
    /// Another access policy is in force, with its cause.
    case accessReplaced(AccessPolicy, by: String)
    /// The store has finished an operator's task, or failed.
    case performed(RequestKey, Result<JSONObject, StoreError>)
    /// A history was read, or could not be.
    case historyFound(HistoryQuery, Answer.Content)
    /// The store runs short of room, or has enough again.
    case room(StoreRoom)
    /// The start-up sequence has finished.
    case ready
    /// The worker must stop: finish started work, accept nothing new.
    case drain
    /// The drain time is over.
    case drainTimeEnded
    /// Time has passed.
    case tick
}

import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// What the core is told.
enum Event: Sendable {
    /// A request came, well-formed.
    case received(Received)
    /// An action of a run began or ended, and left these values; its run may wait for that to be committed.
    case transition(RunID, PipelineTransition, RunValues = RunValues(), checkpoint: WaiterID? = nil)
    /// A run's actions are through.
    case runEnded(RunID, [ActionOutcome], outputs: JSONObject, flaw: String?)
    /// A run is left at an action, and nothing of it executes.
    case rested(RunRest)
    /// Somebody waits for a signal.
    case opened(SignalOpening)
    /// A cancelled run's action did not return in time: which action it was.
    case abandoned(RunID, action: String?)
    /// An event of a watch was handed to its connection, or lost because that has no room.
    case told(ToldEvent, isTaken: Bool)
    /// A connection is gone.
    case disconnected(ConnectionID)
    /// The connections of ``WorkerCore/doubtfulConnections(before:at:)`` were looked at: which of them are gone.
    case probed(gone: [ConnectionID])
    /// Whoever waited gave up.
    case withdrawn(SignalID, WaiterID, why: String)
    /// A monitor's cycle is over.
    case cycleEnded(monitor: Int, MonitorOutcome)
    /// An excluded screen is showing to a monitor, or no longer; it holds a cycle back, or has begun it.
    case standingChanged(monitor: Int, MonitorStanding)
    /// Something was published; and something else perhaps that did not come.
    case published(Publication, by: AccessPolicy.Principal, othersMayBeLost: Bool)
    /// Something may have been published that did not come.
    case publicationsMayBeLost
    /// Another access policy holds, and what brought it.
    case accessReplaced(AccessPolicy, by: String)
    /// The store has done what an operator asked, or could not.
    case performed(RequestKey, Result<JSONObject, StoreError>)
    /// A history was put together, or could not be.
    case historyFound(HistoryQuery, Answer.Content)
    /// The store runs short of room, or has enough again.
    case room(StoreRoom)
    /// The start-up sequence is through.
    case ready
    /// The worker is to stop: finish what began, take nothing new.
    case drain
    /// The drain time is over.
    case drainTimeEnded
    /// Time went on.
    case tick
}

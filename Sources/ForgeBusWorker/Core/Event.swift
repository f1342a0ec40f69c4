import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import ZeroMQ

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
    case told(WatchBook.Told, isTaken: Bool)
    /// A connection is gone.
    case disconnected(PeerID)
    /// The connections of ``WorkerCore/doubtfulConnections(before:at:)`` were looked at: which of them are gone.
    case probed(gone: [PeerID])
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

/// A request with everything the core has to know of it.
///
/// A class, because it is passed on through many hands.
final class Received: Sendable {
    let request: Request
    let fingerprint: Fingerprint
    let caller: Caller
    let principal: AccessPolicy.Principal

    init(request: Request, fingerprint: Fingerprint, caller: Caller, principal: AccessPolicy.Principal) {
        self.request = request
        self.fingerprint = fingerprint
        self.caller = caller
        self.principal = principal
    }

    /// Under which key the ledger keeps it.
    var key: RequestKey { RequestKey(principal: principal.ledgerName, id: request.id) }
}

/// Somebody waits for a signal.
struct SignalOpening: Sendable {
    let signal: SignalID
    let waiting: GateBook.Waiting
    let deadline: Duration?
}

/// What steps of the core lead to: nothing of ``effects`` may leave before all of ``changes`` is committed.
struct Consequences {
    /// What the store has to keep or forget.
    var changes: [StoreChange] = []
    /// What is to be done then, in this order.
    var effects: [Effect] = []

    /// Whether nothing is to be done.
    var isEmpty: Bool { changes.isEmpty && effects.isEmpty }
}

/// Something the core wants done.
enum Effect {
    /// Say something to a connection.
    case answer(Answer, to: Caller)
    /// Hand an event of a watch to its connection, and say at once what became of it.
    case tell(WatchBook.Told)
    /// Run a pipeline, from its beginning or from where the run rested.
    case start(RunStart)
    /// Cancel a run's task.
    case cancel(RunID)
    /// Have the run's task tell its transitions from now on.
    case follow(RunID)
    /// Forget what a run holds that rested, and is over.
    case dropRest(RunID)
    /// The run's action has had its time to return: say which one it is.
    case abandon(RunID)
    /// Resume whoever waits for a signal.
    case resume(WaiterID, WaitOutcome)
    /// Run a monitor's cycle, for these causes.
    case runCycle(monitor: Int, MonitorCauses)
    /// Cancel the cycle's task.
    case cancelCycle(monitor: Int)
    /// Tell a monitor which screen is showing; nil when none is.
    case show(String?, monitor: Int)
    /// Tell the audit.
    case audit(AuditRecord)
    /// Tell whoever runs the worker.
    case warn(Trouble)
    /// Find what the store's journal says of a name, among what is known without it, and say it.
    case findHistory(HistoryQuery)
    /// Have the store do what an operator asks, and say what came of it.
    case perform(StoreTask, RequestKey)
    /// Nothing is left to finish.
    case drained
}

/// Somebody wants to know what happened to a run, signal or monitor.
struct HistoryQuery: Sendable {
    let name: Name
    /// Whether there is a run, signal or monitor of that name, whatever is written down of it.
    let isKnown: Bool
    /// What is known without the journal, oldest first.
    let known: [JournalEntry]
    let request: RequestID
    let caller: Caller
    let principal: AccessPolicy.Principal
}

/// What a wait ends with.
enum WaitOutcome: Sendable {
    /// The id is registered; the wait goes on.
    case registered
    /// The pause is over: the action may be tried again.
    case proceed
    /// It was decided, or ended undecided.
    case decided(GateDecision)
    /// It could not be opened.
    case refused(BusError)
}

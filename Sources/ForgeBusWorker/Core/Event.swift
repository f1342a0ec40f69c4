import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// An event for the core.
enum Event: Sendable {
    /// A well-formed request came in.
    case received(Received)
    /// A run reported a transition, with the context values that changed.
    ///
    /// The waiter `checkpoint`, if there is one, resumes after the commit.
    case transition(Name, PipelineTransition, RunValues = RunValues(), checkpoint: WaiterID? = nil)
    /// An attempt at an action of a run printed something, and has ended.
    case printed(Name, PrintedOutput)
    /// A run's actions have finished.
    case runEnded(Name, [ActionOutcome], outputs: JSONObject, flaw: String?)
    /// A run was suspended at an action.
    case rested(RunRest)
    /// An action of a run, or code of the process, opens a signal and waits for it.
    case opened(SignalOpening)
    /// An action of a cancelled run did not return in time.
    case abandoned(Name, action: String?)
    /// An event was handed to the connection of its watch (`isTaken`), or was lost, for instance due to a full queue.
    case told(ToldEvent, isTaken: Bool)
    /// A connection has closed.
    case disconnected(ConnectionID)
    /// Another principal speaks on this caller's connection now.
    case replaced(Caller)
    /// The connections of ``WorkerState/doubtfulConnections(before:at:)`` were checked; those in `gone` no longer exist.
    case probed(gone: [ConnectionID])
    /// The waiter stopped waiting for this signal, for the reason `why`.
    case withdrawn(Name, WaiterID, why: String)
    /// A monitor's cycle has ended.
    case cycleEnded(monitor: Int, MonitorOutcome)
    /// An action of a monitor requests a run.
    case runRequested(RequestByMonitor)
    /// A monitor's standing changed: an exclusion began or ended, or the monitor now holds a cycle back or starts it.
    case standingChanged(monitor: Int, MonitorStanding)
    /// A publication came in; if `othersMayBeLost`, earlier publications on any topic may be lost.
    case published(Publication, by: AccessPolicy.Principal, othersMayBeLost: Bool)
    /// Publications may have been lost.
    case publicationsMayBeLost
    /// Another access policy replaces the current one; `by` is the cause of the change.
    case accessReplaced(AccessPolicy, by: String)
    /// The store has finished an operator's task, or could not do the task.
    case performed(RequestKey, Result<JSONObject, StoreError>)
    /// A history or an output was read, or could not be read; the content is the answer in both cases.
    case lookedUp(StoreQuery, Answer.Content)
    /// The store's free space became too small for new work, or is enough again.
    case room(StoreRoom)
    /// The start-up sequence has finished.
    case ready
    /// The worker must stop: finish started work, accept nothing new.
    case drain
    /// The drain time is over.
    case drainTimeEnded
    /// A deadline of the core is due.
    case tick
}

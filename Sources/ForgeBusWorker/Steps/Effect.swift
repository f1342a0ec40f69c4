import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

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
    case tell(ToldEvent)
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
    /// The action failed for good, and its run goes on.
    case failed(String)
}

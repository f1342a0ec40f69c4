import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// The consequences of steps: no effect may be carried out before all ``changes`` are committed.
struct Consequences {
    /// The changes for the store.
    var changes: [StoreChange] = []
    /// The effects to carry out after the commit, in this order.
    var effects: [Effect] = []

    /// Whether there is nothing to do.
    var isEmpty: Bool { changes.isEmpty && effects.isEmpty }

    /// Removes everything, and keeps the memory.
    mutating func removeAll() {
        changes.removeAll(keepingCapacity: true)
        effects.removeAll(keepingCapacity: true)
    }
}

/// An effect that the core requests.
enum Effect {
    /// Send an answer to a connection.
    case answer(Answer, to: Caller)
    /// Hand an event of a watch to its connection, and report to the core whether the connection took the event.
    case tell(ToldEvent)
    /// Start a run, or resume it where it was suspended.
    case start(RunStart)
    /// Cancel a run's task.
    case cancel(Name)
    /// Make the run's task report its transitions from now on.
    case follow(Name)
    /// Drop the context of a run that has ended while it was suspended.
    case dropRest(Name)
    /// Give up waiting for a run's action, because its grace time is over, and report the action's id to the core.
    case abandon(Name)
    /// Resume a waiter with the outcome of its wait.
    case resume(WaiterID, WaitOutcome)
    /// Run a monitor's cycle, for these causes.
    case runCycle(monitor: Int, MonitorCauses)
    /// Cancel the task of a monitor's cycle.
    case cancelCycle(monitor: Int)
    /// Set the current screen of a monitor; nil clears it.
    case show(String?, monitor: Int)
    /// Keep a monitor from beginning cycles (true), or let it begin cycles again (false).
    case pause(Bool, monitor: Int)
    /// Pass a record to the audit.
    case audit(AuditRecord)
    /// Log a failure or recovery for the operator.
    case warn(Trouble)
    /// Read a history or an output from the store, and report the answer.
    case lookUp(StoreQuery)
    /// Pass an operator's task to the store, and report its outcome.
    case perform(StoreTask, RequestKey)
    /// Report that the drain is over: nothing is left to finish.
    case drained
}

/// The outcome of a wait.
enum WaitOutcome: Sendable {
    /// The signal's id is registered; the wait continues.
    case registered
    /// The wait is over without a decision or result; for a suspended run, the current action executes again.
    case proceed
    /// The signal was decided, or ended undecided.
    case decided(GateDecision)
    /// The signal could not be opened, or the requested run could not begin.
    case refused(BusError)
    /// The requested run will begin, and the action does not wait for it.
    case requested(Name)
    /// The requested run has ended.
    case ended(RunResult)
    /// The action failed for good, and its run continues.
    case failed(String)
}

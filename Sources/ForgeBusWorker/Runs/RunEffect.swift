import ForgeBusProtocol

/// An effect that a run's state machine asks for.
enum RunEffect {
    /// Start a task for it, at its beginning or where it was suspended.
    case start(RunStart)
    /// Cancel its task.
    case cancelTask
    /// Drop the context of a suspended run that has ended.
    case dropRest
    /// Resume a task that waits within an action.
    case resume(WaiterID, WaitOutcome)
    /// Open the signal of the gate at which it is suspended.
    case open(SignalOpening)
    /// Close a signal that it waited for.
    case close(Name, WaiterID, GateDecision)
    /// Send a change to its listeners: to all, or to those that want progress.
    case tell(RunProgress.Change, toAll: Bool)
    /// Send its state to watchers.
    case publish(StateReport.State)
    /// Warn the operator.
    case warn(StateReport.State, String)
    /// Store its record, or its progress.
    case keepRun, keepProgress
    /// Wake the core at a moment, or when the grace time of its action is over.
    case wake(Due, at: Moment)
    case wakeAfterGrace(Due)
    /// End it with this result.
    case finish(RunResult)
}

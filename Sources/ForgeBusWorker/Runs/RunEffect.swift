import ForgeBusProtocol

/// An effect that a run's state machine requests.
enum RunEffect {
    /// Start a task for the run, at its beginning or where it was suspended.
    case start(RunStart)
    /// Cancel the run's task.
    case cancelTask
    /// Drop the context of a suspended run that has ended.
    case dropRest
    /// Resume a task that waits within an action.
    case resume(WaiterID, WaitOutcome)
    /// Open the signal of the gate at which the run is suspended.
    case open(SignalOpening)
    /// Close a signal that the run waited for.
    case close(Name, WaiterID, GateDecision)
    /// Send a change to the run's listeners: to all, or only to those that want progress.
    case tell(RunProgress.Change, toAll: Bool)
    /// Send the run's state to watchers.
    case publish(StateReport.State)
    /// Warn the operator.
    case warn(StateReport.State, String)
    /// Store the run's record, or its progress.
    case keepRun, keepProgress
    /// Wake the core at a moment, or when the grace time of the run's action is over.
    case wake(Due, at: Moment)
    case wakeAfterGrace(Due)
    /// End the run with this result.
    case finish(RunResult)
}

import ForgeBusProtocol

/// Something that a run's state machine wants done.
enum RunEffect {
    /// Start a task for it, at its beginning or where the last one left it.
    case start(RunStart)
    /// Cancel its task.
    case cancelTask
    /// Forget what it holds that has no task: it is over.
    case dropRest
    /// Resume a task that waits within an action.
    case resume(WaiterID, WaitOutcome)
    /// Open the signal of the gate at which it was left.
    case open(SignalOpening)
    /// Close a signal that it waited for.
    case close(SignalID, WaiterID, GateDecision)
    /// Tell its listeners of a change; all of them, or those that want progress.
    case tell(RunProgress.Change, toAll: Bool)
    /// Tell watchers its state.
    case publish(StateReport.State)
    /// Tell whoever runs the worker.
    case warn(StateReport.State, String)
    /// Keep its record, or how far it has come.
    case keepRun, keepProgress
    /// Say so at a moment, or when its action has had its time to return.
    case wake(Due, at: Moment)
    case wakeAfterGrace(Due)
    /// It has ended so.
    case finish(RunResult)
}

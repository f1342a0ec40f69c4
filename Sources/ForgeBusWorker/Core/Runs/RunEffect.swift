import ForgeBusProtocol

/// An effect that a run's state machine requests.
enum RunEffect {
    /// Start a task for the run, which begins the run or resumes it.
    case start(RunStart)
    /// Cancel the run's task.
    case cancelTask
    /// Drop the context of the run, which has ended while it was suspended.
    case dropRest
    /// Resume an action's code that waits for a signal.
    case resume(WaiterID, WaitOutcome)
    /// Open the signal of the gate at which the run is suspended.
    case open(SignalOpening)
    /// Request a run for the action at which the run is suspended.
    case request(InnerRequest)
    /// Stop the run that the action requested and waits for.
    case stopInner(Name)
    /// Close a signal that the run waited for.
    case close(Name, WaiterID, GateDecision)
    /// Send a change to all listeners of the run, or only to the listeners that want progress.
    case tell(RunProgress.Change, toAll: Bool)
    /// Send the run's state to watchers.
    case publish(StateReport.State)
    /// Report that the run is parked: the worker may start a run of another pipeline for it, such as one that sends a
    /// message to people.
    case reportParking
    /// Warn the operator.
    case warn(StateReport.State, String)
    /// Store the run's record (`keepRun`) or its progress (`keepProgress`).
    case keepRun, keepProgress
    /// Wake the core at a moment (`wake`) or when the cancelled action's grace time is over (`wakeAfterGrace`).
    case wake(Due, at: Moment)
    case wakeAfterGrace(Due)
    /// End the run with this result.
    case finish(RunResult)
}

import ForgeBusProtocol

/// What a run's state machine has decided: an effect, or what needs other parts of the worker to become one.
enum RunEffect {
    /// An effect of the worker's.
    case emit(Effect)
    /// Open the signal of the gate at which the run is suspended.
    case open(SignalOpening)
    /// Request a run for the action at which the run is suspended.
    case request(RequestByRun)
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
    /// Store the run's record (`keepRun`) or its progress (`keepProgress`).
    case keepRun, keepProgress
    /// Wake the core at a moment (`wake`) or when the cancelled action's grace time is over (`wakeAfterGrace`).
    case wake(Due, at: Moment)
    case wakeAfterGrace(Due)
    /// End the run with this result.
    case finish(RunResult)
}

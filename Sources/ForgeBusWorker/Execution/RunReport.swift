import ForgeBusProtocol
import ForgeOrchestrator

/// A report from a run's task to the worker's loop.
enum RunReport: Sendable {
    /// The run made steps; the run's host keeps them until the loop takes them.
    case wentOn(RunHost)
    /// An attempt at an action printed something, and has ended.
    case printed(Name, PrintedOutput)
    /// The run's actions have finished.
    case ended(Name, [ActionOutcome], outputs: JSONObject, flaw: String?)
    /// The run was suspended at an action.
    case rested(RunRest)
}

/// A step of a run (conditions were evaluated, or an action began or ended), with the context values that it changed.
struct RunStep: Sendable {
    let transition: PipelineTransition
    let values: RunValues
}

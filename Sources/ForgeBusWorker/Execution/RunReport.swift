import ForgeBusProtocol
import ForgeOrchestrator

/// A report of a run's task to the loop.
enum RunReport: Sendable {
    /// The run made steps, which the run's host keeps until the loop takes them.
    case wentOn(RunHost)
    /// An attempt at an action printed something, and has ended.
    case printed(Name, PrintedOutput)
    /// The run's actions have finished.
    case ended(Name, [ActionOutcome], outputs: JSONObject, flaw: String?)
    /// The run was suspended at an action.
    case rested(RunRest)
}

/// A step of a run, with the values that it changed: conditions were evaluated, or an action began or ended.
struct RunStep: Sendable {
    let transition: PipelineTransition
    let values: RunValues
}

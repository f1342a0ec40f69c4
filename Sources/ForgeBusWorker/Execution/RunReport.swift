import ForgeBusProtocol
import ForgeOrchestrator

/// A report of a run's task to the loop.
enum RunReport: Sendable {
    /// It made steps; the host has them until the loop takes them.
    case wentOn(RunHost)
    /// Its actions have finished.
    case ended(Name, [ActionOutcome], outputs: JSONObject, flaw: String?)
    /// It was suspended at an action.
    case rested(RunRest)
}

/// An action of a run began or ended, and left these values.
struct RunStep: Sendable {
    let transition: PipelineTransition
    let values: RunValues
}

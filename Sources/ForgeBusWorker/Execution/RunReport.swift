import ForgeBusProtocol
import ForgeOrchestrator

/// What the task of a run tells the loop.
enum RunReport: Sendable {
    /// It did steps, which the host has until they are taken.
    case wentOn(RunHost)
    /// Its actions are through.
    case ended(RunID, [ActionOutcome], outputs: JSONObject, flaw: String?)
    /// It is left at an action, and nothing of it executes.
    case rested(RunRest)
}

/// An action of a run began or ended, and left these values.
struct RunStep: Sendable {
    let transition: PipelineTransition
    let values: RunValues
}

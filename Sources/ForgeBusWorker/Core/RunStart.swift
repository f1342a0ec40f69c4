import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// The data with which a run's task starts: at the beginning of the run, or where the run was suspended.
struct RunStart: Sendable {
    /// The outcome that ended the suspension at an action.
    struct Answer: Sendable {
        let action: String
        let outcome: WaitOutcome
    }

    /// The place where the run was suspended.
    struct Resumption: Sendable {
        let eligible: [ActionID]
        let results: [ActionID: ActionResult]
        let answer: Answer?
        /// The number of the attempt at the next action, from 1, as the action's policy counts attempts.
        let attempt: Int
        /// Whether no further action may start: the task only reports the run's result.
        var isOver = false
        /// The values that the context has besides the seeds, if an earlier worker executed the run.
        var restored: [ProgressRecord.Value] = []
    }

    let run: Name
    let pipeline: Name
    /// The first values of the run's context; empty if the run has a context already.
    let values: [String: any Sendable]
    let tellsTransitions: Bool
    /// The W3C trace context of the request that began the run, not checked; nil without one.
    var traceparent: String?
    /// The number of earlier attempts at the next action that the action's policy does not count.
    var earlierAttempts = 0
    /// The number of attempts at each later action that earlier workers may have made without recording them.
    var unrecorded = 0
    /// When the run got its first slot, in milliseconds since 1970, if an earlier worker started it.
    var began: Int64?
    var resumption: Resumption?
}

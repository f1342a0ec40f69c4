import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// How a run is taken up: at its beginning, or where it rested.
struct RunStart: Sendable {
    /// What ended the rest at an action.
    struct Answer: Sendable {
        let action: String
        let outcome: WaitOutcome
    }

    /// Where an earlier stretch of the run ended.
    struct Resumption: Sendable {
        let eligible: [ActionID]
        let results: [ActionID: ActionResult]
        let answer: Answer?
        /// Which attempt at the next action this is, from 1, of those that count.
        let attempt: Int
        /// Whether no further action may start: the run only says what it came to.
        var isOver = false
        /// What the context held beyond the seeds, where an earlier worker had it.
        var restored: [ProgressRecord.Value] = []
    }

    let run: RunID
    let pipeline: PipelineName
    /// What its context begins with, if there is none yet.
    let values: [String: any Sendable]
    let tellsTransitions: Bool
    /// How many attempts at the action that is taken up next came before those that count.
    var earlierAttempts = 0
    /// How many there may have been at each action behind it.
    var unrecorded = 0
    /// When the run got its first slot, in milliseconds since 1970, where an earlier worker took it up.
    var began: Int64?
    var resumption: Resumption?
}

import ForgeBusProtocol
import ForgeBusStore

/// The suspension of a run at an action: the run has no task until it resumes there.
struct RunRest: Sendable {
    enum Kind: Sendable {
        /// The run waits for a gate's decision.
        case gate(Name, rule: GateRule, deadline: Duration?, message: String? = nil)
        /// The action requests a run.
        case request(RequestedRun)
        /// The action failed, and its policy decides what follows.
        case failed(reason: String)
    }

    let run: Name
    let action: String
    let waiter: WaiterID
    let kind: Kind
    /// The ids of the actions whose conditions held, in the order in which they execute.
    let eligible: [String]
    /// The outcomes of the ended actions.
    let actions: [ActionOutcome]
    /// The changes of the run's context since the last report to the core.
    var values = RunValues()
}

/// The changes of a run's context since the run's task last reported changes to the core.
struct RunValues: Sendable {
    /// The values that were set or removed, in their stored form.
    var values: [ProgressRecord.Value] = []
    /// The key of a value that cannot be stored; nil if all values can be stored.
    var unkept: String?
}

/// The output of one attempt at an action.
struct PrintedOutput: Sendable {
    let action: String
    /// The number of the attempt, from 1.
    let attempt: Int
    let output: PrintedText
    let errors: PrintedText
    /// Why the attempt failed; nil if it did not fail.
    var failure: String?
}

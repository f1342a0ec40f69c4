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
    /// The actions whose conditions held, in their order.
    let eligible: [String]
    /// The outcomes of the ended actions.
    let actions: [ActionOutcome]
    /// The changes of the run's context since the last report.
    var values = RunValues()
}

/// The changes of a context since the last report.
struct RunValues: Sendable {
    /// The new values, in the form of the store.
    var values: [ProgressRecord.Value] = []
    /// The key of a value that cannot be stored, or nil.
    var unkept: String?
}

/// What an attempt at an action printed.
struct PrintedOutput: Sendable {
    let action: String
    /// The number of the attempt, from 1.
    let attempt: Int
    let output: PrintedText
    let errors: PrintedText
    /// Why the attempt failed; nil if it did not fail.
    var failure: String?
}

import ForgeBusProtocol
import ForgeBusStore

/// A run is left at an action: nothing of it executes until it is started again, there.
struct RunRest: Sendable {
    enum Kind: Sendable {
        /// A gate is to be decided.
        case gate(SignalID, rule: GateRule, deadline: Duration?)
        /// The action failed, and its policy is to say what follows.
        case failed(reason: String)
    }

    let run: RunID
    let action: String
    let waiter: WaiterID
    let kind: Kind
    /// The actions whose conditions held, in their order.
    let eligible: [String]
    /// How those ended that have.
    let actions: [ActionOutcome]
    /// What changed in its context since that was told last.
    var values = RunValues()
}

/// What actions changed in a context since it was last asked.
struct RunValues: Sendable {
    /// What was set, as it is kept.
    var values: [ProgressRecord.Value] = []
    /// The key of a value that has no form in which it could be kept.
    var unkept: String?
}

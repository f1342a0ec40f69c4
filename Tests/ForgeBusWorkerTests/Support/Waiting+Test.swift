import ForgeBusProtocol
@testable import ForgeBusWorker

extension SignalWait {
    /// A wait with the terms that a test is about.
    init(
        owner: SignalOwner,
        kind: SignalKind,
        waiter: WaiterID,
        rule: GateRule,
        requester: String? = nil,
        message: String? = nil
    ) {
        let terms = GateTerms(rule: rule, requester: requester, message: message)
        self.init(owner: owner, kind: kind, waiter: waiter, terms: terms)
    }
}

import ForgeBusProtocol
import ZeroMQ

/// Changes of the access policy.
extension WorkerLoop {
    /// Replaces the access policy from the next message on.
    func replaceAccess(with policy: AccessPolicy, by cause: String) async {
        await replaceAccess(with: policy, by: cause, on: reactor)
    }

    private func replaceAccess(with policy: AccessPolicy, by cause: String, on reactor: isolated Reactor) {
        counters[.accessReplaced] += 1
        door.accessReplaced()
        step(.accessReplaced(policy, by: cause), reactor)
        publications?.accessReplaced(reactor)
    }

    /// Counts and audits a new policy that was invalid; the current policy stays in force.
    func keepAccess(because cause: String) async { await keepAccess(because: cause, on: reactor) }

    private func keepAccess(because cause: String, on reactor: isolated Reactor) {
        guard mayAct else { return }
        counters[.accessKept] += 1
        audit(AuditRecord(.accessKept(digest: core.access.digest, because: cause)))
    }
}

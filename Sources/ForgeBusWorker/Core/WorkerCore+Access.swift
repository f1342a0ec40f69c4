import ForgeBusProtocol

/// Changes of the access policy, and answers that come after a change.
extension WorkerCore {
    /// Replaces the access policy from the next message on.
    ///
    /// Every wait that the new policy does not allow ends at once with an error.
    mutating func replaceAccess(with policy: AccessPolicy, by cause: String) {
        let old = access.digest
        access = policy
        signals.policy = policy
        runs.endWaits(under: policy, &out)
        watches.endWaits(under: policy, &out)
        monitors.endWaits(under: policy, &out)
        requests.endWaits(under: policy, &out)
        out.audit(AuditRecord(.accessReplaced(old: old, new: policy.digest, by: cause)))
    }

    /// Answers with what the store has, or with an error if the access policy allows it no longer.
    mutating func tell(_ query: StoreQuery, _ content: Answer.Content) {
        if query.isLimited { histories -= 1 }
        let refusal = access.dismissal(of: query.principal) ?? refusal(ofReading: query.name, query)
        out.answer(query.caller, query.request, refusal.map { .error($0) } ?? content)
    }

    private func refusal(ofReading name: Name, _ query: StoreQuery) -> BusError? {
        switch query.content {
        case .history: refusal(ofHistory: name, to: query.principal)
        case .output, .run:
            access.ruling(for: query.principal, .read, on: name, known: runs.known(name)).refusal(
                of: query.principal,
                isOfRun: true
            )
        }
    }
}

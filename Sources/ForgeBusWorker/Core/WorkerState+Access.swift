import ForgeBusProtocol

/// Changes of the access policy, and answers that come after a change.
extension WorkerState {
    /// Replaces the access policy from the next message on.
    ///
    /// Every wait that the new policy does not allow ends at once with an error.
    mutating func replaceAccess(with policy: AccessPolicy, by cause: String) {
        let old = access.digest
        access = policy
        endWaitsForRuns()
        endWaitsForEvents()
        endWaitsForCycles()
        endWaitsForTasks()
        step.audit(AuditRecord(.accessReplaced(old: old, new: policy.digest, by: cause)))
    }

    /// Answers with what the store has, or with an error if the access policy allows it no longer.
    mutating func tell(_ query: StoreQuery, _ content: Answer.Content) {
        if query.isLimited { histories -= 1 }
        let refusal = access.dismissal(of: query.principal) ?? refusal(ofReading: query.name, query)
        step.answer(query.caller, query.request, refusal.map { .error($0) } ?? content)
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

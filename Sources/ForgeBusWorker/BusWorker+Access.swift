extension BusWorker {
    /// Puts another access policy in the place of the one that holds, from the next message on.
    ///
    /// Whoever is not in it any more ends at once: new connections are refused, and on those that are open nothing is
    /// looked at and nothing more is told.
    ///
    /// - Parameters:
    ///   - policy: The other one, as a whole.
    ///   - cause: What brought it, for the audit: the path of a file for instance.
    /// - Throws: ``WorkerError`` with code `usage` if the worker or the policy has no keys, or what kept ``run()`` from
    ///   serving.
    public func replaceAccess(with policy: AccessPolicy, by cause: String) async throws {
        guard configuration.access.policy.isKeyed, policy.isKeyed else {
            throw WorkerError(
                .usage,
                "There are no keys to tell senders apart.",
                next: "Give the worker access by keys when it is made, and a policy of keys now."
            )
        }
        if let flaw = configuration.access.with(policy).flaw(at: configuration.endpoints) { throw flaw }
        let loop = try await lifecycle.bound().loop
        connectionGate.replace(with: policy)
        await loop.replaceAccess(with: policy, by: cause)
    }

    /// Counts, and tells the audit, that another access policy was bad and the one that holds goes on to.
    ///
    /// - Throws: What kept ``run()`` from serving.
    public func keepAccess(because cause: String) async throws {
        let loop = try await lifecycle.bound().loop
        await loop.keepAccess(because: cause)
    }
}

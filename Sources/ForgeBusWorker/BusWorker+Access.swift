extension BusWorker {
    /// Replaces the access policy, from the next message on.
    ///
    /// Principals that it does not name lose access at once: the worker refuses their new connections, refuses messages
    /// on open ones without reading them, and sends no more results or events.
    ///
    /// - Parameters:
    ///   - policy: The new policy, as a whole.
    ///   - cause: The cause for the audit, for instance the path of a file.
    /// - Throws: ``WorkerError`` with code `usage` if the worker or the policy has no keys, or the error that kept
    ///   ``run()`` from serving.
    public func replaceAccess(with policy: AccessPolicy, by cause: String) async throws {
        guard self.policy.isKeyed, policy.isKeyed else {
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

    /// Counts and audits that a new access policy was bad, and keeps the one in force.
    ///
    /// - Throws: The error that kept ``run()`` from serving.
    public func keepAccess(because cause: String) async throws {
        let loop = try await lifecycle.bound().loop
        await loop.keepAccess(because: cause)
    }
}

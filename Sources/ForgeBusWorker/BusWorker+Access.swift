public import ZeroMQ

extension BusWorker {
    /// The bound endpoints of the worker's previous key, with real ports in place of wildcards.
    ///
    /// Reading the property waits until they are bound. They come from ``WorkerConfiguration/previous``.
    ///
    /// - Throws: The error that kept ``run()`` from binding them.
    public var previousEndpoints: [Endpoint] {
        get async throws { try await lifecycle.bound().endpoints.previous }
    }

    /// The bound endpoints that publishers connect to with the worker's previous key, with real ports in place of
    /// wildcards.
    ///
    /// Reading the property waits until they are bound. They come from ``WorkerConfiguration/previous``.
    ///
    /// - Throws: The error that kept ``run()`` from binding them.
    public var previousPublicationEndpoints: [Endpoint] {
        get async throws { try await lifecycle.bound().endpoints.previousPublications }
    }

    /// Replaces the worker's access policy; the new policy decides from the next message on.
    ///
    /// Principals that the new policy does not name lose access immediately: the worker refuses their new connections,
    /// refuses their messages on open connections without reading them, and sends them no more results or events.
    ///
    /// - Parameters:
    ///   - policy: The new policy, which replaces all of the old one.
    ///   - cause: The cause of the change for the audit, for instance the path of a file.
    /// - Throws: ``WorkerError`` with code `usage` if the worker or the policy has no keys, with code `definition` if
    ///   the policy lists the worker's secret key, or the error that kept ``run()`` from serving.
    public func replaceAccess(with policy: AccessPolicy, by cause: String) async throws {
        guard self.policy.isKeyed, policy.isKeyed else {
            throw WorkerError(
                .usage,
                "The access policy can be replaced only if the worker and the new policy have keys.",
                next: "Create the worker with access by keys, and pass a policy with keys."
            )
        }
        if let flaw = configuration.flaw(of: configuration.access.with(policy)) { throw flaw }
        let loop = try await lifecycle.bound().loop
        connectionGate.replace(with: policy)
        await loop.replaceAccess(with: policy, by: cause)
    }

    /// Records that a new access policy was invalid, so that the current one stays in force.
    ///
    /// The worker counts this, and passes a record with the `cause` to its ``WorkerConfiguration/audit`` sink.
    ///
    /// - Throws: The error that kept ``run()`` from serving.
    public func keepAccess(because cause: String) async throws {
        let loop = try await lifecycle.bound().loop
        await loop.keepAccess(because: cause)
    }
}

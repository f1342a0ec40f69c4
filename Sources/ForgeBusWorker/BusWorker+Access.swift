public import ZeroMQ

extension BusWorker {
    /// The bound endpoints that clients connect to with the worker's previous key, with real ports in place of
    /// wildcards.
    ///
    /// Reading the property waits until the endpoints are bound. They come from ``WorkerConfiguration/previous``.
    /// Without a previous key, the list is empty.
    ///
    /// - Throws: The error that kept ``run()`` from binding them, or ``WorkerError`` with code `usage` after
    ///   `run()` has ended.
    public var previousEndpoints: [Endpoint] {
        get async throws { try await lifecycle.bound().endpoints.previous }
    }

    /// The bound endpoints that publishers connect to with the worker's previous key, with real ports in place of
    /// wildcards.
    ///
    /// Reading the property waits until the endpoints are bound. They come from ``WorkerConfiguration/previous``.
    /// Without a previous key, the list is empty.
    ///
    /// - Throws: The error that kept ``run()`` from binding them, or ``WorkerError`` with code `usage` after
    ///   `run()` has ended.
    public var previousPublicationEndpoints: [Endpoint] {
        get async throws { try await lifecycle.bound().endpoints.previousPublications }
    }

    /// Replaces the worker's access policy; the new policy decides from the next message on.
    ///
    /// Principals that the new policy does not name lose access immediately: the worker refuses their new connections,
    /// refuses their messages on open connections without reading them, and sends them no more results or events. Each wait
    /// that the new policy does not allow ends with an error of code `forbidden`.
    ///
    /// - Parameters:
    ///   - policy: The new policy, which replaces the whole old policy.
    ///   - cause: The cause of the change for the audit, for instance the path of a file.
    /// - Throws: ``WorkerError`` with code `usage` if the worker or the policy has no keys, or after the worker has
    ///   stopped; with code `definition` if the policy lists a secret key of the worker as a public key; or the error
    ///   that kept ``run()`` from serving.
    public func replaceAccess(with policy: AccessPolicy, by cause: String) async throws {
        guard self.policy.isKeyed else {
            throw Errors.noPolicyToReplace
        }
        guard policy.isKeyed else {
            throw Errors.newPolicyWithoutKeys
        }
        if let flaw = configuration.flaw(of: configuration.access.with(policy)) { throw flaw }
        let loop = try await lifecycle.bound().loop
        connectionGate.replace(with: policy)
        await loop.replaceAccess(with: policy, by: cause)
    }

    /// Records that a new access policy was invalid and that the current policy stays in force.
    ///
    /// The worker adds one to the counter `access_kept`, and passes a record with the `cause` to its
    /// ``WorkerConfiguration/audit`` sink.
    ///
    /// - Parameter cause: Why the new policy is invalid, for instance the message of the error.
    /// - Throws: The error that kept ``run()`` from serving, or ``WorkerError`` with code `usage` after
    ///   `run()` has ended.
    public func keepAccess(because cause: String) async throws {
        let loop = try await lifecycle.bound().loop
        await loop.keepAccess(because: cause)
    }
}

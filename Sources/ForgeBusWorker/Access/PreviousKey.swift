public import ZeroMQ

/// The worker's previous key pair, with the endpoints that still use it while clients change to the new one.
///
/// A client must know the worker's public key. So a worker with a new key listens at its own endpoints with the new
/// one, and at the endpoints of this value with the previous one. The same policy decides about both. The worker logs
/// each principal that connects with the previous key, so that you know who has not changed yet.
public struct PreviousKey: Sendable {
    /// The previous key pair.
    public var keys: KeyPair
    /// The endpoints for clients that still know only the previous public key.
    public var endpoints: [Endpoint]
    /// The endpoints for publishers that still know only the previous public key; none by default.
    public var publicationEndpoints: [Endpoint] = []

    /// Makes the value from the previous key pair and the endpoints that still use it.
    public init(_ keys: KeyPair, endpoints: [Endpoint] = []) {
        self.keys = keys
        self.endpoints = endpoints
    }

    /// Makes the value from the previous certificate file.
    ///
    /// - Parameters:
    ///   - path: The certificate file with the secret key, `NAME.key_secret`, which only its owner may read.
    ///   - endpoints: The endpoints for clients that still know only the previous public key.
    /// - Throws: ``WorkerError`` with code `definition`, as ``WorkerAccess/keyed(certificate:_:)``.
    public init(certificate path: String, endpoints: [Endpoint] = []) throws(WorkerError) {
        self.init(try KeyPair(ofWorkerIn: path), endpoints: endpoints)
    }
}

extension PreviousKey {
    /// The error if a worker with these access settings and endpoints cannot use this previous key; nil if it can.
    func flaw(beside access: WorkerAccess, at others: [Endpoint]) -> WorkerError? {
        guard case .keyed(let current, let policy) = access else {
            return Errors.previousWithoutCurrent
        }
        if let principal = policy.principal(withSecretOf: keys) { return Errors.listedPreviousKey(of: principal.name) }
        if keys.publicKey == current.publicKey { return Errors.previousIsCurrent }
        let own = endpoints + publicationEndpoints
        if own.isEmpty { return Errors.previousWithoutEndpoint }
        return own.first { !$0.isWildcard && others.contains($0) }.map { Errors.endpointOfBothKeys("\($0)") }
    }
}

extension KeyPair {
    /// Reads the key pair of a worker from its certificate file.
    init(ofWorkerIn path: String) throws(WorkerError) {
        let certificate: Certificate
        do throws(ZeroMQError) {
            certificate = try Certificate(contentsOf: path)
        } catch {
            // For a file that is missing or has other content, the error of the socket library has no advice for this
            // user.
            let next =
                [.insecure, .permissionDenied, .system].contains(error.code)
                ? error.next
                : "Give the path of a file that `forgebus keygen NAME` made; it ends in .key_secret."
            throw WorkerError(.definition, error.message, next: next)
        }
        guard let keys = certificate.keys else {
            throw Errors.noSecretKey(in: path)
        }
        self = keys
    }
}

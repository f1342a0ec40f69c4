public import ForgeBusProtocol
public import ZeroMQ

/// A publisher that a worker connects to: its endpoint and, for a worker with keys, its key and its principal.
public struct KnownPublisher: Hashable, Sendable {
    /// Who publishes at an endpoint.
    public struct Identity: Hashable, Sendable {
        /// The principal that the publications count as coming from; its rights apply.
        public var principal: Name
        /// The publisher's public key: one of the principal's keys in the worker's access policy.
        public var key: PublicKey

        /// Creates the identity of a publisher.
        public init(principal: Name, key: PublicKey) {
            (self.principal, self.key) = (principal, key)
        }
    }

    /// The endpoint that the publisher has bound.
    public var endpoint: Endpoint
    /// Who publishes there; nil for a worker without keys.
    public var identity: Identity?

    /// Creates a publisher on this machine, for a worker without keys.
    public init(at endpoint: Endpoint) { self.endpoint = endpoint }

    /// Creates a publisher on any machine, for a worker with keys.
    ///
    /// The worker connects with its own keys, which the publisher must let in, and only to a publisher that holds the
    /// secret key of `key`.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint that the publisher has bound.
    ///   - principal: The principal that the publications count as coming from.
    ///   - key: The publisher's public key: one of the principal's keys in the worker's access policy.
    public init(at endpoint: Endpoint, as principal: Name, key: PublicKey) {
        self.endpoint = endpoint
        identity = Identity(principal: principal, key: key)
    }
}

extension KnownPublisher {
    /// Why a worker with this access cannot connect to the publisher; nil if it can.
    package func flaw(with access: WorkerAccess) -> WorkerError? {
        switch (access, identity) {
        case (.local, .some(let identity)):
            return Errors.keyedPublisher("\(endpoint)", of: "\(identity.principal)")
        case (.keyed, nil):
            return Errors.publisherWithoutKey("\(endpoint)")
        case (.local, nil):
            if !endpoint.isLocal { return Errors.remotePublisher("\(endpoint)") }
        case (.keyed(_, let policy), .some(let identity)):
            if identity.sender(in: policy) == nil {
                let owner = policy.principal(forKey: identity.key)?.name
                return Errors.publisherKeyOfAnother("\(identity.principal)", "\(identity.key)", owner: owner)
            }
        }
        return endpoint.isWildcard ? Errors.vaguePublisher("\(endpoint)") : nil
    }
}

extension KnownPublisher.Identity {
    /// The sender of the publications; nil if the policy does not list the key as one of the principal's.
    func sender(in policy: AccessPolicy) -> AccessPolicy.Principal? {
        policy.principal(forKey: key).flatMap { $0.name == principal.text ? $0 : nil }
    }
}

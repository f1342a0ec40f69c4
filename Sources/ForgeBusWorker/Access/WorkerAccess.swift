public import ZeroMQ

/// The access to a worker: who may connect, and how the worker identifies senders.
public enum WorkerAccess: Sendable {
    /// Every process of this machine may connect, as the principal `local`; other machines cannot reach the worker.
    case local
    /// Every sender that proves that it has the secret key to a public key in the policy may connect, from any machine.
    ///
    /// Connections are encrypted. The key pair belongs to the worker, and clients must know the pair's public key. The
    /// policy applies until ``BusWorker/replaceAccess(with:by:)`` replaces it.
    case keyed(KeyPair, AccessPolicy)

    /// Creates access by keys, with the key pair from a certificate file.
    ///
    /// - Parameters:
    ///   - path: The certificate file with the secret key, `NAME.key_secret`, which only its owner may read.
    ///   - policy: The access policy, which must have keys.
    /// - Returns: The case `keyed` with the key pair of the file and with `policy`.
    /// - Throws: ``WorkerError`` with code `definition` for a file that cannot be read, is not a certificate, has no
    ///   secret key, or can be read by other users.
    public static func keyed(certificate path: String, _ policy: AccessPolicy) throws(WorkerError) -> WorkerAccess {
        .keyed(try KeyPair(ofWorkerIn: path), policy)
    }
}

extension WorkerAccess {
    /// The policy with which the worker starts.
    var policy: AccessPolicy {
        switch self {
        case .local: .local
        case .keyed(_, let policy): policy
        }
    }

    /// The same access with another policy.
    func with(_ policy: AccessPolicy) -> WorkerAccess {
        switch self {
        case .local: .local
        case .keyed(let pair, _): .keyed(pair, policy)
        }
    }

    /// Why a worker cannot serve these endpoints with this access; nil if it can.
    func flaw(at endpoints: [Endpoint]) -> WorkerError? {
        switch self {
        case .local: endpoints.first { !$0.isLocal }.map { Errors.openDoor("\($0)") }
        case .keyed(let pair, let policy):
            if !policy.isKeyed {
                Errors.policyWithoutKeys
            } else if let principal = policy.principal(withSecretOf: pair) {
                Errors.listedSecretKey(of: principal.name)
            } else {
                nil
            }
        }
    }
}

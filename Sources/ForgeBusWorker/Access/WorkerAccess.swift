public import ZeroMQ

/// Who may reach a worker, and how it identifies senders.
public enum WorkerAccess: Sendable {
    /// Every process of this machine that reaches a socket, as the principal `local`; nobody else can reach one.
    case local
    /// Every sender that proves a key of the policy, over encrypted connections, from anywhere.
    ///
    /// The pair is the worker's own: clients must know its public key. The policy is the first one;
    /// ``BusWorker/replaceAccess(with:by:)`` replaces it.
    case keyed(KeyPair, AccessPolicy)

    /// Access by keys, with the pair of a certificate's file.
    ///
    /// - Parameters:
    ///   - path: The certificate with its secret, `NAME.key_secret`, which only its owner may read.
    ///   - policy: Who may do what.
    /// - Returns: The access.
    /// - Throws: ``WorkerError`` with code `definition` for a file that cannot be read, is not a certificate, has no
    ///   secret or shows it to others.
    public static func keyed(certificate path: String, _ policy: AccessPolicy) throws(WorkerError) -> WorkerAccess {
        let certificate: Certificate
        do throws(ZeroMQError) {
            certificate = try Certificate(contentsOf: path)
        } catch {
            throw WorkerError(.definition, error.message, next: error.next)
        }
        guard let keys = certificate.keys else {
            throw WorkerError(
                .definition,
                "\(path) is a certificate without its secret key.",
                next: "Name the file that ends in .key_secret; `forgebus keygen` makes both."
            )
        }
        return .keyed(keys, policy)
    }
}

extension WorkerAccess {
    /// The first policy.
    var policy: AccessPolicy {
        switch self {
        case .local: .local
        case .keyed(_, let policy): policy
        }
    }

    /// The same with another policy.
    func with(_ policy: AccessPolicy) -> WorkerAccess {
        switch self {
        case .local: .local
        case .keyed(let pair, _): .keyed(pair, policy)
        }
    }

    /// Why a worker cannot serve with this access, or nil.
    func flaw(at endpoints: [Endpoint]) -> WorkerError? {
        switch self {
        case .local: endpoints.first { !$0.isLocal }.map(WorkerError.openDoor)
        case .keyed(let pair, let policy):
            if !policy.isKeyed {
                WorkerError(
                    .definition,
                    "The worker has a certificate, and a policy without keys.",
                    next: "Give it the policy of an access file."
                )
            } else if policy.lists(theSecretOf: pair) {
                .secretKey
            } else {
                nil
            }
        }
    }
}

extension WorkerError {
    fileprivate static func openDoor(_ endpoint: Endpoint) -> WorkerError {
        WorkerError(
            .openDoor,
            "\(endpoint) can be reached from other machines, and nothing here tells who speaks.",
            next: "Listen at ipc, or at a loopback address such as tcp://127.0.0.1:7717, or give the worker a "
                + "certificate and an access policy."
        )
    }
}

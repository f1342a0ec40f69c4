import ForgeLocks
import ZeroMQ

/// Decides which peers may connect to a worker with keys; libzmq asks it once for each new connection.
///
/// Guarded by a lock, because libzmq asks without the isolation of the reactor.
final class ConnectionGate: Sendable {
    /// A fact about a new connection that the worker counts and reports.
    enum Finding {
        /// The connection was refused, because its key is unknown.
        case stranger(PublicKey)
        /// The connection was not admitted, because too many come from this address.
        case crowd(AddressBlock)
        /// The connection was admitted, but its peer knows only the worker's previous key.
        case outdated(PublicKey)
    }

    private struct State {
        var keys: Set<PublicKey>
        var rate: ConnectionRate
        var watcher: @Sendable (Finding) -> Void = { _ in }
    }

    private let state: Guarded<State>
    /// The worker's previous key, or nil.
    private let previous: PublicKey?

    init(_ configuration: WorkerConfiguration, _ policy: AccessPolicy) {
        let rate = ConnectionRate(perMinute: configuration.limits.connectionsPerMinute)
        state = Guarded(State(keys: policy.keys, rate: rate))
        previous = configuration.previous?.keys.publicKey
    }

    /// Whether a peer may connect; passes each finding to the closure of ``watch(_:)``.
    ///
    /// The gate refuses unknown keys before it counts the connection. So unknown keys do not use up the rate limit of
    /// an address.
    func admits(_ request: ConnectionRequest) -> Admission {
        let address = AddressBlock(request.address)
        let (finding, watcher) = state.withLock { state -> (Finding?, @Sendable (Finding) -> Void) in
            guard state.keys.contains(request.key) else { return (.stranger(request.key), state.watcher) }
            if let address, !state.rate.admits(address, at: .now) { return (.crowd(address), state.watcher) }
            return (request.server == previous ? .outdated(request.key) : nil, state.watcher)
        }
        guard let finding else { return .allowed }
        watcher(finding)
        return finding.admission
    }

    /// Replaces the keys with which peers may connect by the keys in `policy`.
    func replace(with policy: AccessPolicy) { state.withLock { $0.keys = policy.keys } }

    /// Calls `watcher` with each finding from now on.
    func watch(_ watcher: @escaping @Sendable (Finding) -> Void) { state.withLock { $0.watcher = watcher } }
}

extension ConnectionGate.Finding {
    fileprivate var admission: Admission {
        switch self {
        case .stranger: .refused
        case .crowd: .postponed
        case .outdated: .allowed
        }
    }
}

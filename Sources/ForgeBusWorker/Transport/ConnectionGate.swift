import ForgeLocks
import ZeroMQ

/// Decides which peers may connect to a worker with keys; libzmq asks it once for each new connection.
///
/// Guarded by a lock, because libzmq asks without the isolation of the reactor.
final class ConnectionGate: Sendable {
    /// Why a connection was refused.
    enum Refusal {
        /// The key is unknown.
        case stranger(PublicKey)
        /// Too many connections come from this address.
        case crowd(AddressBlock)
    }

    private struct State {
        var keys: Set<PublicKey>
        var rate: ConnectionRate
        var watcher: @Sendable (Refusal) -> Void = { _ in }
    }

    private let state: Guarded<State>

    init(_ policy: AccessPolicy, _ rate: ConnectionRate) { state = Guarded(State(keys: policy.keys, rate: rate)) }

    /// Whether a peer may connect; passes each refusal to the closure of ``watch(_:)``.
    ///
    /// The gate refuses unknown keys before it counts the connection. So unknown keys do not use up the rate limit of
    /// an address.
    func admits(_ request: ConnectionRequest) -> Admission {
        let address = AddressBlock(request.address)
        let (refusal, watcher) = state.withLock { state -> (Refusal?, @Sendable (Refusal) -> Void) in
            guard state.keys.contains(request.key) else { return (.stranger(request.key), state.watcher) }
            guard let address, !state.rate.admits(address, at: .now) else { return (nil, state.watcher) }
            return (.crowd(address), state.watcher)
        }
        guard let refusal else { return .allowed }
        watcher(refusal)
        return refusal.admission
    }

    /// Replaces the policy's keys.
    func replace(with policy: AccessPolicy) { state.withLock { $0.keys = policy.keys } }

    /// Calls `watcher` with each refusal from now on.
    func watch(_ watcher: @escaping @Sendable (Refusal) -> Void) { state.withLock { $0.watcher = watcher } }
}

extension ConnectionGate.Refusal {
    fileprivate var admission: Admission {
        switch self {
        case .stranger: .refused
        case .crowd: .postponed
        }
    }
}

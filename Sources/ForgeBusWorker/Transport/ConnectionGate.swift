import ForgeLocks
import ZeroMQ

/// Who may connect to a worker with keys, asked by libzmq once for each connection that comes up.
///
/// Guarded by a lock, because the question comes without the isolation of the thread it comes on.
final class ConnectionGate: Sendable {
    /// Why somebody was not let in.
    enum Refusal {
        /// The key stands for nobody.
        case stranger(PublicKey)
        /// Too many come from there.
        case crowd(AddressBlock)
    }

    private struct State {
        var keys: Set<PublicKey>
        var rate: ConnectionRate
        var watcher: @Sendable (Refusal) -> Void = { _ in }
    }

    private let state: Guarded<State>

    init(_ policy: AccessPolicy, _ rate: ConnectionRate) { state = Guarded(State(keys: policy.keys, rate: rate)) }

    /// Whether a peer may connect; whoever watches is told of one that may not.
    ///
    /// Strangers come first: they take nothing from what an address may do.
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

    /// Another policy holds.
    func replace(with policy: AccessPolicy) { state.withLock { $0.keys = policy.keys } }

    /// From now on `watcher` is told of who may not connect.
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

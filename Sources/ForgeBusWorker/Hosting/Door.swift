import ForgeLocks
import ZeroMQ

/// Who may connect to a worker with keys, asked by libzmq once for each connection that comes up.
///
/// Guarded by a lock, because the question comes without the isolation of the thread it comes on.
final class Door: Sendable {
    private struct State {
        var keys: Set<PublicKey>
        var strangers: @Sendable (PublicKey) -> Void = { _ in }
    }

    private let state: Guarded<State>

    init(_ policy: AccessPolicy) { state = Guarded(State(keys: policy.keys)) }

    /// Whether a key may connect; whoever watches is told of one that may not.
    func admits(_ key: PublicKey) -> Bool {
        let (isKnown, strangers) = state.withLock { ($0.keys.contains(key), $0.strangers) }
        if !isKnown { strangers(key) }
        return isKnown
    }

    /// Another policy holds.
    func replace(with policy: AccessPolicy) { state.withLock { $0.keys = policy.keys } }

    /// From now on `strangers` is told of keys that may not connect.
    func watch(_ strangers: @escaping @Sendable (PublicKey) -> Void) { state.withLock { $0.strangers = strangers } }
}

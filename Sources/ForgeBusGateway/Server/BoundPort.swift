import ForgeLocks

/// The port of a gateway, for tasks that wait until the gateway listens.
final class BoundPort: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Int?, Never>])
        case known(Int?)
    }

    private let state = Guarded(State.waiting([]))

    /// Records the port, or nil if the gateway does not listen; only the first call has an effect.
    func set(_ port: Int?) {
        let waiters = state.withLock { state -> [CheckedContinuation<Int?, Never>] in
            guard case .waiting(let waiters) = state else { return [] }
            state = .known(port)
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: port) }
    }

    var value: Int? {
        get async {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> Int?? in
                    switch state {
                    case .known(let port): return .some(port)
                    case .waiting(let waiters):
                        state = .waiting(waiters + [continuation])
                        return nil
                    }
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }
}

import ForgeLocks
import ZeroMQ

/// The state of a worker in its one life: not begun, bound or ended.
final class WorkerLifecycle: Sendable {
    /// The bound worker.
    struct Bound: Sendable {
        let loop: WorkerLoop
        let endpoints: [Endpoint]
        let publicationEndpoints: [Endpoint]
    }

    private enum State {
        case idle([CheckedContinuation<Bound, any Error>])
        case begun([CheckedContinuation<Bound, any Error>])
        case bound(Bound)
        case ended(any Error)
    }

    private let state = Guarded(State.idle([]))

    /// Begins the worker's life.
    ///
    /// - Returns: Whether it is the first time.
    func begin() -> Bool {
        state.withLock { state in
            guard case .idle(let waiting) = state else { return false }
            state = .begun(waiting)
            return true
        }
    }

    /// The endpoints are bound.
    func bind(_ bound: Bound) { leave(.bound(bound), with: .success(bound)) }

    /// The worker has ended, or could not begin.
    func end(_ error: any Error) { leave(.ended(error), with: .failure(error)) }

    /// The bound worker; waits until it is bound.
    ///
    /// - Throws: The error that ended the worker.
    func bound() async throws -> Bound {
        try await withCheckedThrowingContinuation { continuation in
            let known: Result<Bound, any Error>? = state.withLock { state in
                switch state {
                case .idle(let waiting):
                    state = .idle(waiting + [continuation])
                    return nil
                case .begun(let waiting):
                    state = .begun(waiting + [continuation])
                    return nil
                case .bound(let bound): return .success(bound)
                case .ended(let error): return .failure(error)
                }
            }
            if let known { continuation.resume(with: known) }
        }
    }

    private func leave(_ next: State, with result: Result<Bound, any Error>) {
        let waiting = state.withLock { state in
            defer { state = next }
            switch state {
            case .idle(let waiting), .begun(let waiting): return waiting
            case .bound, .ended: return []
            }
        }
        for continuation in waiting { continuation.resume(with: result) }
    }
}

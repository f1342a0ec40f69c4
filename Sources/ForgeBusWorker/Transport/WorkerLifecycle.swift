import ForgeLocks
import ZeroMQ

/// The state of a worker during its life: not begun, begun, bound or ended.
final class WorkerLifecycle: Sendable {
    /// A worker whose endpoints are bound: its loop, and the endpoints.
    struct Bound: Sendable {
        let loop: WorkerLoop
        let endpoints: BoundEndpoints
    }

    private typealias Waiter = CheckedContinuation<Bound, any Error>

    private enum Phase {
        case idle
        case begun
        case bound(Bound)
        case ended(any Error)
    }

    private struct State {
        var phase = Phase.idle
        /// Whether another process may hold the worker's store.
        var isWaiting = false
        var waiters: [UInt64: Waiter] = [:]
        var last: UInt64 = 0
    }

    private let state = Guarded(State())
    /// Whether the worker accepts requests.
    let readiness = Readiness()

    /// Begins the worker's life.
    ///
    /// - Returns: True for the first call; false if the worker has begun or ended before.
    func begin() -> Bool {
        state.withLock { state in
            guard case .idle = state.phase else { return false }
            state.phase = .begun
            return true
        }
    }

    /// Records that the endpoints are bound, and resumes the tasks that wait for this.
    func bind(_ bound: Bound) { leave(.bound(bound), with: .success(bound)) }

    /// Records that the worker has ended or could not begin, and resumes the waiting tasks with the error.
    func end(_ error: any Error) {
        leave(.ended(error), with: .failure(error))
        readiness.end(.failure(error))
    }

    /// Records whether the worker waits for its store, which another process may hold.
    func setWaiting(_ isWaiting: Bool) { state.withLock { $0.isWaiting = isWaiting } }

    /// Whether the worker waits for its store, which another process may hold.
    var isWaiting: Bool { state.withLock { $0.isWaiting } }

    /// The loop of the bound worker; nil before the worker is bound and after it has ended.
    var loop: WorkerLoop? { state.withLock { if case .bound(let bound) = $0.phase { bound.loop } else { nil } } }

    /// The bound worker; waits until it is bound.
    ///
    /// - Throws: The error that ended the worker, or `CancellationError`.
    func bound() async throws -> Bound {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                let known: Result<Bound, any Error>? = state.withLock { state in
                    switch state.phase {
                    case .idle, .begun:
                        state.waiters[number] = waiter
                        return nil
                    case .bound(let bound): return .success(bound)
                    case .ended(let error): return .failure(error)
                    }
                }
                if let known { return waiter.resume(with: known) }
                // A cancellation before the waiter was registered found no waiter.
                if Task.isCancelled { giveUp(number) }
            }
        } onCancel: {
            giveUp(number)
        }
    }

    private func giveUp(_ number: UInt64) {
        state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(throwing: CancellationError())
    }

    private func leave(_ next: Phase, with result: Result<Bound, any Error>) {
        let waiters: [UInt64: Waiter] = state.withLock { state in
            state.phase = next
            return exchange(&state.waiters, with: [:])
        }
        for waiter in waiters.values { waiter.resume(with: result) }
    }
}

/// Whether a worker accepts requests; any number of tasks may wait until it does.
final class Readiness: Sendable {
    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct State {
        var outcome: Result<Void, any Error>?
        var waiting: [UInt64: Waiter] = [:]
        var last: UInt64 = 0
    }

    private let state = Guarded(State())

    /// Records success if the worker accepts requests, or a failure if it has ended; resumes the waiting tasks.
    ///
    /// After a failure, further calls do nothing.
    func end(_ outcome: Result<Void, any Error>) {
        let waiting: [UInt64: Waiter] = state.withLock { state in
            if case .failure = state.outcome { return [:] }
            state.outcome = outcome
            return exchange(&state.waiting, with: [:])
        }
        for waiter in waiting.values { waiter.resume(with: outcome) }
    }

    /// Returns when the worker accepts requests.
    ///
    /// - Throws: The error that ended the worker, or `CancellationError`.
    func wait() async throws {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let outcome = state.withLock { state in
                    if state.outcome == nil { state.waiting[number] = waiter }
                    return state.outcome
                }
                if let outcome { return waiter.resume(with: outcome) }
                // A cancellation before the waiter was registered found no waiter.
                if Task.isCancelled { giveUp(number) }
            }
        } onCancel: {
            giveUp(number)
        }
    }

    private func giveUp(_ number: UInt64) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: CancellationError())
    }
}

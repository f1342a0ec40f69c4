import ForgeLocks

/// The state of a worker during its life: not begun, begun, bound, ready or ended.
final class WorkerLifecycle: Sendable {
    /// A worker whose endpoints are bound: its loop, and the endpoints.
    struct Bound: Sendable {
        let loop: WorkerLoop
        let endpoints: BoundEndpoints
    }

    private struct State {
        var hasBegun = false
        /// Whether another process may hold the worker's store.
        var isWaiting = false
        /// The error that ended the worker.
        var end: (any Error)?
    }

    private let state = Guarded(State())
    /// The bound worker, or the error of a worker that ended before it was bound.
    private let binding = OneShot<Result<Bound, any Error>>()
    /// Set when the worker accepts requests, and when it ends.
    private let readiness = OneShot<Void>()

    /// Begins the worker's life.
    ///
    /// - Returns: True for the first call; false if the worker has begun or ended before.
    func begin() -> Bool {
        state.withLock { state in
            guard !state.hasBegun, state.end == nil else { return false }
            state.hasBegun = true
            return true
        }
    }

    /// Records that the endpoints are bound, and resumes the tasks that wait for this.
    func bind(_ bound: Bound) { binding.set(.success(bound)) }

    /// Records that the worker accepts requests, and resumes the tasks that wait for this.
    func becomeReady() { readiness.set() }

    /// Records that the worker has ended or could not begin, and resumes the waiting tasks with the error.
    func end(_ error: any Error) {
        state.withLock { $0.end = error }
        binding.set(.failure(error))
        readiness.set()
    }

    /// Records whether the worker waits for its store, which another process may hold.
    func setWaiting(_ isWaiting: Bool) { state.withLock { $0.isWaiting = isWaiting } }

    /// Whether the worker waits for its store, which another process may hold.
    var isWaiting: Bool { state.withLock { $0.isWaiting } }

    /// The loop of the bound worker; nil before the worker is bound and after it has ended.
    var loop: WorkerLoop? { end == nil ? try? binding.known?.get().loop : nil }

    /// The bound worker; waits until it is bound.
    ///
    /// - Throws: The error that ended the worker, or `CancellationError`.
    func bound() async throws -> Bound {
        let bound = try await binding.value()
        if let end { throw end }
        return try bound.get()
    }

    /// Returns when the worker accepts requests.
    ///
    /// - Throws: The error that ended the worker, or `CancellationError`.
    func waitUntilReady() async throws {
        try await readiness.value()
        if let end { throw end }
    }

    private var end: (any Error)? { state.withLock { $0.end } }
}

import ForgeBusWorker

/// One `BusWorker` of a ``TestWorker``, from its start to its end.
struct Life: Sendable {
    let bus: BusWorker
    let stage: Stage
    private let task: Task<Void, any Error>

    /// Starts the worker, and returns when the worker answers requests.
    ///
    /// - Throws: The error that keeps the worker from starting.
    init(_ bus: BusWorker, _ stage: Stage, _ clock: TestClock) async throws {
        self.bus = bus
        self.stage = stage
        stage.setDeath { [weak bus] in bus?.die() }
        clock.attach { [weak bus] in bus?.lookAgain() }
        // Not a child task: the worker continues after this method returns.
        task = Task { try await bus.run() }
        _ = try await bus.endpoints
    }

    func settle(within patience: Duration) async -> Settlement {
        if stage.hasDied { return .over }
        // A worker that has ended throws; `end()` then has the reason.
        return (try? await bus.settle(within: patience)) ?? .over
    }

    /// Waits until the worker has ended, and returns the error that ended it, if any; does not stop the worker.
    func end() async -> Result<Void, any Error> { await task.result }

    func stop() async throws {
        task.cancel()
        try await task.value
    }
}

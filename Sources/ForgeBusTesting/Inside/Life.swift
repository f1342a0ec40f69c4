import ForgeBusWorker

/// One worker from its start to its end.
struct Life: Sendable {
    let bus: BusWorker
    let stage: Stage
    private let task: Task<Void, any Error>

    /// Begins to serve.
    ///
    /// - Throws: What keeps it from that.
    init(_ bus: BusWorker, _ stage: Stage, _ clock: TestClock) async throws {
        self.bus = bus
        self.stage = stage
        stage.setDeath { [weak bus] in bus?.die() }
        clock.attach { [weak bus] in bus?.lookAgain() }
        // Not a child: it lives as long as the test worker.
        task = Task { try await bus.run() }
        _ = try await bus.endpoints
    }

    func settle(within patience: Duration) async -> Settlement {
        if stage.hasDied { return .over }
        // What has ended says so by its end.
        return (try? await bus.settle(within: patience)) ?? .over
    }

    /// Waits until it has ended by itself.
    func end() async -> Result<Void, any Error> { await task.result }

    func stop() async throws {
        task.cancel()
        try await task.value
    }
}

import ForgeBusWorker
import ForgeOrchestrator

/// Runs that a worker has accepted and that wait for a decision at a gate.
struct WaitingRuns {
    let count: Int

    /// The number of runs that are started before the measurement, so that all threads and buffers exist.
    private static let first = 1_000

    /// The memory of one run in bytes, with all that the worker keeps for the run, such as its record and its context.
    func residentBytesPerRun() async throws -> Double {
        let gated = PipelineOrchestrator()
        gated.register(GateAction("approve", signal: "deploy.{run.id}.approve"))
        let pipeline = HostedPipeline(
            "feed",
            gated,
            seeds: [.required("user", .string), .required("limit", .integer), .required("tags", .array)]
        )
        let bench = BenchWorker(pipelines: [pipeline], waitingSignals: 2 * count, unfinishedRuns: 2 * count)
        return try await bench.serve { worker, endpoint in
            // The first runs also create threads and buffers. They do not count, because the measurement starts after
            // them.
            try await start(Self.first, at: endpoint)
            let before = try ProcessFigures.own.residentBytes
            try await start(count, after: Self.first, at: endpoint)
            return (try ProcessFigures.own.residentBytes - before) / Double(count)
        }
    }

    private func start(_ runs: Int, after earlier: Int = 0, at endpoint: String) async throws {
        _ = try await onThread {
            // Each run has two answers: ACCEPTED, and PROGRESS when the run waits at the gate.
            try FloorClient(frames: .run, firstID: UInt64(earlier))
                .run(endpoint: endpoint, count: UInt64(runs), window: 64, answersPerRequest: 2)
        }
    }
}

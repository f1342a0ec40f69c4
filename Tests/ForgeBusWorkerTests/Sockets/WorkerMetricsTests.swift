import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import Metrics
import MetricsTestKit
import Synchronization
import Testing

@Suite("The metrics of a worker")
struct WorkerMetricsTests {
    @Test("are fed to swift-metrics again and again, each under its name, and counters by what was added")
    func feeding() async throws {
        let factory = TestMetrics()
        let clock = TickingClock()
        let stage = Stage("work") { _ in .completed }
        try await serving(pipelines: [HostedPipeline("p", pipeline(stage))]) { serving in
            let metrics = WorkerMetrics(serving.worker, every: .seconds(10), factory: factory, clock: clock)
            let feeding = Task { try await metrics.run() }
            await clock.slept(1)
            #expect(try factory.expectGauge("forgebus_worker_ready").lastValue == 1)
            let before = try factory.expectCounter("forgebus_received_total").totalValue
            let dealer = try await RawDealer(serving.endpoint)
            try await dealer.send("FORGE/1 PING", "a", "", "", "")
            _ = try await dealer.answers(1)
            clock.tick()
            await clock.slept(2)
            #expect(try factory.expectCounter("forgebus_received_total").totalValue == before + 1)
            #expect(clock.pauses == [.seconds(10), .seconds(10)])
            let names = Set((factory.recorders.map(\.label) + factory.counters.map(\.label)))
            #expect(Set(WorkerMetric.all.map(\.name)).isSuperset(of: names))
            #expect(try factory.expectGauge("forgebus_runs", [("doing", "executing")]).lastValue == 0)
            feeding.cancel()
            try await feeding.value
        }
    }
}

/// A clock on which a sleep ends when the test says so.
private final class TickingClock: Clock, Sendable {
    private struct State {
        var pauses: [Duration] = []
        var sleeper: CheckedContinuation<Void, Never>?
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var now: ContinuousClock.Instant { ContinuousClock.now }
    var minimumResolution: Duration { .zero }
    var pauses: [Duration] { state.withLock { $0.pauses } }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        let pause = Duration.seconds((ContinuousClock.now.duration(to: deadline) / .seconds(1)).rounded(.up))
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let watchers = state.withLock { state in
                    state.pauses.append(pause)
                    state.sleeper = continuation
                    defer { state.watchers.removeAll { $0.count <= state.pauses.count } }
                    return state.watchers.filter { $0.count <= state.pauses.count }
                }
                for watcher in watchers { watcher.continuation.resume() }
                // The handler may have run before there was a sleeper.
                if Task.isCancelled { tick() }
            }
        } onCancel: {
            tick()
        }
        try Task.checkCancellation()
    }

    /// Ends the present sleep.
    func tick() {
        state.withLock { state in
            defer { state.sleeper = nil }
            return state.sleeper
        }?.resume()
    }

    /// Returns once somebody has begun to sleep so many times.
    func slept(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.pauses.count < count { state.watchers.append((count, continuation)) }
                return state.pauses.count >= count
            }
            if isOver { continuation.resume() }
        }
    }
}

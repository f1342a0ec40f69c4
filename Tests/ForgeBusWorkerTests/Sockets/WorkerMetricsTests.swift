import ForgeBusProtocol
import ForgeBusWorker
import ForgeLocks
import ForgeOrchestrator
import Metrics
import MetricsTestKit
import Synchronization
import TestSupport
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
    private let recorded = Record<Duration>()
    private let present = Mutex(OneShot<Void>())

    var now: ContinuousClock.Instant { ContinuousClock.now }
    var minimumResolution: Duration { .zero }
    var pauses: [Duration] { recorded.values }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        let sleep = OneShot<Void>()
        present.withLock { $0 = sleep }
        recorded.add(.seconds((ContinuousClock.now.duration(to: deadline) / .seconds(1)).rounded(.up)))
        try await sleep.value()
    }

    /// Ends the present sleep.
    func tick() { present.withLock { $0 }.set() }

    /// Returns once somebody has begun to sleep so many times.
    func slept(_ count: Int) async { await recorded.reach(count) }
}

import ForgeBusFleet
import ForgeBusProtocol
import ForgeBusTesting
import ForgeBusWorker
import ForgeLocks
import ForgeOrchestrator
import Testing
import ZeroMQ

/// What the machines of a test hold, which their monitors check and their remedies set.
final class Machines: Sendable {
    let ages = Guarded<[Name: Int]>([:])
    let remedied = Guarded<[Name]>([])
    let policy = Guarded(70)

    init(_ ages: [Name: Int]) { self.ages.withLock { $0 = ages } }

    /// A worker with the monitor `password-age` and the pipeline `remedy`.
    func definition(_ name: Name) -> TestFleet.Definition {
        TestFleet.Definition(pipelines: [remedy(name)], monitors: [monitor(name)])
    }

    private func monitor(_ name: Name) -> HostedMonitor {
        let monitor = MonitorOrchestrator()
        monitor.register(
            Check { [self] in
                let (age, most) = (ages.withLock { $0[name] ?? 0 }, policy.withLock { $0 })
                return age > most ? .failed("age \(age) exceeds \(most)") : .completed
            }
        )
        return HostedMonitor("password-age", monitor, topics: ["policy.>"])
    }

    private func remedy(_ name: Name) -> HostedPipeline {
        let pipeline = PipelineOrchestrator()
        pipeline.register(
            Remedy { [self] in
                ages.withLock { $0[name] = 1 }
                remedied.withLock { $0.append(name) }
            }
        )
        return HostedPipeline("remedy", pipeline)
    }
}

private struct Check: MonitorAction, FallibleAction {
    let id: ActionID = "check"
    let priority: ActionPriority = .critical
    let check: @Sendable () -> ActionResult

    func shouldRun() async -> Bool { true }
    func run() async -> ActionResult { check() }
}

private struct Remedy: PipelineAction {
    let id: ActionID = "set"
    let priority: ActionPriority = .critical
    let set: @Sendable () -> Void

    func shouldRun() async -> Bool { true }

    func execute(context: PipelineContext) async -> ActionResult {
        set()
        return .completed
    }
}

@Suite("A client of a fleet", .timeLimit(.minutes(10)))
struct FleetClientTests {
    private let names: [Name] = ["web-01", "web-02", "web-03", "web-04"]

    @Test("tells of each worker whether its monitors have evaluated the change")
    func notify() async throws {
        let machines = Machines(["web-02": 80])
        let fleet = try await TestFleet(names) { machines.definition($0) }
        let report = try await fleet.client.notify("policy.password-age")
        #expect(report.counts == [.converged: 3, .failed: 1])
        #expect(report.exceptions.map(\.worker) == ["web-02"])
        #expect(report.exceptions.first?.subject == "password-age")
        #expect(report.exceptions.first?.failures ?? 0 > 0)
        #expect(report.outcome == .bad)
        await fleet.close()
    }
}

import ForgeBusClient
import ForgeBusFleet
import ForgeBusProtocol
import ForgeBusTesting
import ForgeBusWorker
import ForgeLocks
import ForgeOrchestrator
import TestSupport
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

    @Test("names each that is silent, paused, unknown to it, called otherwise or an impostor, and the rest converge")
    func exceptions() async throws {
        let machines = Machines([:])
        let names: [Name] = ["idle", "impostor", "misnamed", "paused", "silent", "stranger", "web-01", "web-02"]
        let fleet = try await TestFleet(names, patience: .seconds(8)) { name in
            name == "idle" ? TestFleet.Definition() : machines.definition(name)
        }
        await fleet.stop("silent")
        let pause = BusClient(
            try #require(fleet.inventory.workers.first { $0.name == "paused" }).endpoint,
            as: CurveClient(keys: fleet.keys, server: try #require(fleet.key(of: "paused"))),
            logger: .silent
        )
        try await pause.pause(PauseSubject(.monitor, "password-age"), for: .seconds(3600), reason: "CHG-1182")
        await pause.close()
        // The operator's inventory has another key for one, and another name for one.
        let workers = fleet.inventory.workers.map { worker in
            switch worker.name {
            case "impostor": Inventory.Worker(worker.name, at: worker.endpoint, key: KeyPair().publicKey)
            case "misnamed": Inventory.Worker("web-09", at: worker.endpoint, key: worker.key)
            default: worker
            }
        }
        try await fleet.worker("stranger")?.replaceAccess(
            with: AccessPolicy([.init("other", keys: [KeyPair().publicKey])]),
            by: "test"
        )
        let client = try FleetClient(
            Inventory(workers: workers),
            as: fleet.keys,
            patience: .seconds(8),
            logger: .silent
        )
        let report = try await client.notify("policy.password-age")
        #expect(
            report.workers == [
                "idle": .noMonitor, "impostor": .wrongKey, "web-09": .wrongWorker, "paused": .waived,
                "silent": .silent, "stranger": .refused, "web-01": .converged, "web-02": .converged,
            ]
        )
        let waived = try #require(report.lines.first { $0.worker == "paused" })
        #expect(waived.pause?.principal == "operator" && waived.pause?.untilUnixMilliseconds != nil)
        #expect(report.outcome == .open)
        await client.close()
        await fleet.close()
    }

    @Test("tells that nobody has evaluated a change of which nobody was told, until it is told")
    func nobodyTold() async throws {
        let machines = Machines(["web-01": 60, "web-02": 60, "web-03": 60, "web-04": 60])
        let fleet = try await TestFleet(names) { machines.definition($0) }
        #expect(try await fleet.client.notify("policy.password-age").counts == [.converged: 4])
        machines.policy.withLock { $0 = 50 }
        let change = ContinuousClock.now
        #expect(await fleet.client.monitors().counts == [.ok: 4], "without a change, the last cycle counts")
        let report = await fleet.client.monitors(.following("policy.password-age"), since: change)
        #expect(report.counts == [.notYet: 4] && report.outcome == .open)
        #expect(try await fleet.client.notify("policy.password-age").counts == [.failed: 4])
        await fleet.close()
    }

    @Test("asks again who comes back, and ends when all have converged")
    func until() async throws {
        let machines = Machines([:])
        let fleet = try await TestFleet(names, patience: .seconds(1)) { machines.definition($0) }
        await fleet.stop("web-03")
        let seen = Record<FleetState>()
        async let report = fleet.client.notify("policy.password-age", until: .seconds(300)) { lines in
            for line in lines where line.worker == "web-03" { seen.add(line.state) }
        }
        _ = await seen.reach(1)
        try await fleet.start("web-03")
        #expect(try await report.counts == [.converged: 4])
        #expect(seen.values.first == .silent)
        await fleet.close()
    }

    @Test("runs a pipeline once on each worker, batch after batch, and stops after too many that are not well")
    func rollOut() async throws {
        let machines = Machines(["web-01": 80, "web-02": 80, "web-03": 80, "web-04": 80])
        let fleet = try await TestFleet(names, patience: .seconds(8)) { machines.definition($0) }
        let first = try await fleet.client.run("remedy", batches: [.count(1)], id: "CHG-1")
        #expect(first.counts == [.completed: 4])
        #expect(machines.remedied.withLock { $0 } == names)
        // The same again is the same runs.
        let again = try await fleet.client.run("remedy", batches: [.count(2)], id: "CHG-1")
        #expect(Set(again.lines.map(\.subject)) == Set(first.lines.map(\.subject)))
        #expect(machines.remedied.withLock { $0 }.count == 4)
        await fleet.stop("web-02")
        let stopped = try await fleet.client.run("remedy", batches: [.count(2)], id: "CHG-2")
        #expect(stopped.workers["web-01"] == .completed)
        #expect([.silent, .unknown].contains(try #require(stopped.workers["web-02"])))
        #expect(stopped.workers["web-03"] == .notAsked && stopped.workers["web-04"] == .notAsked)
        #expect(machines.remedied.withLock { $0 }.count == 5)
        await fleet.close()
    }

    @Test("tells which monitors the inventory expects and a worker lacks")
    func missing() async throws {
        let machines = Machines([:])
        let expected = Inventory.Expectation(on: .all, monitors: ["password-age", "tls"])
        let fleet = try await TestFleet(["web-01"], expecting: [expected]) { machines.definition($0) }
        let report = await fleet.client.monitors()
        #expect(
            report.lines.map(\.state) == [.missing, .ok] && report.lines.map(\.subject) == ["tls", "password-age"]
        )
        await fleet.close()
    }

    @Test("ends early when its task is cancelled, with what it knows")
    func cancelled() async throws {
        let fleet = try await TestFleet(names) { _ in TestFleet.Definition() }
        for name in names { await fleet.stop(name) }
        let task = Task { await fleet.client.monitors() }
        task.cancel()
        #expect(await task.value.workers.count == 4)
        await fleet.close()
    }
}

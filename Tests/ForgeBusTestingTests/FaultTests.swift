import ForgeBusProtocol
import ForgeBusSQLite
import ForgeBusStore
import ForgeBusTesting
import ForgeBusWorker
import ForgeOrchestrator
import Foundation
import TestSupport
import Testing

@Suite("A scripted fault")
struct FaultTests {
    private let clock = TestClock()

    @Test("kills the worker while a gate waits, and the next one goes on", arguments: ["memory", "sqlite"])
    func crashAtAGate(store: String) async throws {
        let record = Record<String>()
        let path = FileManager.default.temporaryDirectory.path + "/testing-\(UUID().uuidString).sqlite"
        defer { for end in ["", "-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let makeStore: @Sendable () -> any BusStore = { SQLiteStore(path: path) }
        let worker = try await TestWorker(
            pipelines: [deploying(clock, record)],
            clock: clock,
            store: store == "memory" ? nil : makeStore
        )
        await worker.whenOpen("deploy.42.approve", .approve(), after: day)
        let run = try await worker.run("deploy", seeds: ["version": "42"])
        try await worker.advance(by: .seconds(3600))
        try await worker.crash()
        try await run.expect(.waiting, for: "deploy.42.approve")
        try await worker.advance(by: day)
        try await run.expect(.completed, outputs: ["deployed": "42"])
        #expect(record.values == ["roll-out run-1-1/roll-out"])
        #expect(await worker.decisions.count == 1)
        try await worker.stop()
    }

    @Test("kills the worker behind an action's effect: it is executed again, with the same token")
    func crashAfterTheEffect() async throws {
        let record = Record<String>()
        let worker = try await TestWorker(pipelines: [deploying(clock, record)], clock: clock)
        await worker.crash(.after("roll-out"))
        await worker.whenOpen("deploy.42.approve", .approve())
        try await worker.expectRun("deploy", seeds: ["version": "42"], .completed, outputs: ["deployed": "42"])
        #expect(record.values == Array(repeating: "roll-out run-1-1/roll-out", count: 2))
    }

    @Test("kills the worker before an action: it is executed once; nothing of the dead one goes on")
    func crashBeforeTheAction() async throws {
        let record = Record<String>()
        let pipeline = PipelineOrchestrator(clock: clock)
        pipeline.register(
            Step("sleep", priority: .high) { [clock] _ in
                try? await clock.sleep(for: .seconds(60))
                record.add("woke")
                return .completed
            }
        )
        pipeline.register(
            Step("effect") { _ in
                record.add("effect")
                return .completed
            }
        )
        let worker = try await TestWorker(pipelines: [HostedPipeline("p", pipeline)], clock: clock)
        await worker.crash(.before("effect"))
        let run = try await worker.run("p")
        try await worker.advance(by: .seconds(30))
        try await worker.crash()
        try await worker.advance(by: .seconds(30))
        // The sleep of the dead worker ends now, and wakes nobody.
        #expect(record.values == [])
        try await worker.advance(by: .seconds(90))
        try await run.expect(.completed)
        #expect(record.values.filter { $0 == "effect" }.count == 1)
    }

    @Test("fails an action so many times, and its policy follows")
    func failures() async throws {
        let policy = ActionPolicy(attempts: 3, backoff: .seconds(1), onFailure: .park)
        let worker = try await TestWorker(
            pipelines: [deploying(clock, policies: ["roll-out": policy])],
            clock: clock
        )
        await worker.whenOpen("deploy.*.approve", .approve())
        await worker.fail("roll-out", times: 2, reason: "no route")
        try await worker.expectRun("deploy", seeds: ["version": "42"], .completed, within: .seconds(3))
        await worker.fail("roll-out", times: 3, reason: "disk full")
        let run = try await worker.expectRun(
            "deploy",
            seeds: ["version": "43"],
            .parked,
            because: "disk full",
            within: .seconds(3)
        )
        try await worker.ask(.redrive(RedriveRequest(run: run.id.name)))
        try await run.expect(.completed)
    }

    @Test("of the store stops the worker, which acknowledged nothing; the next one knows nothing of it")
    func store() async throws {
        let worker = try await TestWorker(pipelines: [deploying(clock)], clock: clock)
        let kept = try await worker.run("deploy", seeds: ["version": "42"])
        await worker.breakStore()
        await #expect { _ = try await worker.run("deploy", seeds: ["version": "43"]) } throws: {
            ($0 as? WorkerError)?.code == .store
        }
        await worker.healStore()
        try await worker.restart()
        try await kept.expect(.waiting, for: "deploy.42.approve")
        await #expect { try await worker.bus.item(ShowRequest(.signal, "deploy.43.approve")) } throws: { _ in true }
    }

    @Test("of room keeps new work out until there is enough")
    func room() async throws {
        let worker = try await TestWorker(pipelines: [deploying(clock)], clock: clock)
        try await worker.setStoreRoom(.short)
        await #expect { _ = try await worker.run("deploy", seeds: ["version": "42"]) } throws: {
            ($0 as? BusError)?.code == .busy
        }
        try await worker.setStoreRoom(.ample)
        try await worker.expectRun("deploy", seeds: ["version": "42"], .waiting)
    }
}

@Suite("An expectation of a test worker")
struct ExpectationTests {
    @Test("that is not met tells the test's line, what was expected and what is")
    func failure() async throws {
        let clock = TestClock()
        let worker = try await TestWorker(pipelines: [deploying(clock)], clock: clock)
        // Not in a macro, whose lines are those of its beginning.
        let line = #line + 2
        do {
            try await worker.expectRun("deploy", seeds: ["version": "42"], .completed, outputs: ["deployed": "42"])
            Issue.record("It was met.")
        } catch let failure as ExpectationFailure {
            #expect(failure.description.hasPrefix("ForgeBusTestingTests/FaultTests.swift:\(line): "))
            for part in ["run-1-1", "\"deploy\"", #"{"deployed":"42"}"#, #"waiting for "deploy.42.approve""#] {
                #expect(failure.message.contains(part))
            }
        }
        let refused = await #expect(throws: ExpectationFailure.self) {
            try await worker.expectRun("deploy", seeds: ["versoin": "42"], .waiting)
        }
        #expect(refused?.message.contains("bad_seed") == true)
    }
}

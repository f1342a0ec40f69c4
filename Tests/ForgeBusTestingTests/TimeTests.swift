import ForgeBusProtocol
import ForgeBusTesting
import ForgeBusWorker
import ForgeOrchestrator
import TestSupport
import Testing

@Suite("Time in a test worker")
struct TimeTests {
    private let clock = TestClock()

    @Test("stands still, and passes through retry pauses and deadlines when it is moved")
    func retries() async throws {
        let record = Record<String>()
        let pipeline = PipelineOrchestrator(clock: clock)
        pipeline.register(
            Step("fetch") { [clock] context in
                record.add("\(context.attempt) at \(clock.now.elapsed)")
                return context.attempt < 3 ? .failed("refused") : .completed
            }
        )
        let policy = ActionPolicy(attempts: 3, backoff: .seconds(10), onFailure: .park)
        let worker = try await TestWorker(
            pipelines: [HostedPipeline("fetch", pipeline, policies: ["fetch": policy])],
            clock: clock
        )
        let run = try await worker.run("fetch")
        try await run.expect(.retrying)
        try await worker.advance(by: .seconds(10))
        try await run.expect(.retrying)
        try await worker.advance(by: .seconds(20))
        try await run.expect(.completed)
        #expect(record.values == ["1 at 0.0 seconds", "2 at 10.0 seconds", "3 at 30.0 seconds"])

        let late = try await worker.run("fetch", deadline: .seconds(5))
        try await worker.advance(by: .seconds(5))
        try await late.expect(.timedOut)
    }

    @Test("wakes actions that sleep by the clock, in the order of their moments")
    func sleepers() async throws {
        let record = Record<String>()
        let pipeline = PipelineOrchestrator(clock: clock)
        pipeline.register(
            Step("sleep") { [clock] context in
                let seconds: Int = context.get("seconds") ?? 0
                try? await clock.sleep(for: .seconds(seconds))
                record.add("\(seconds)")
                return .completed
            }
        )
        let worker = try await TestWorker(
            pipelines: [HostedPipeline("sleep", pipeline, seeds: [.required("seconds", .integer)])],
            clock: clock
        )
        for seconds in [30, 10, 20] {
            try await worker.run("sleep", seeds: ["seconds": .integer(Int64(seconds))]).expect(.running)
        }
        try await worker.advance(by: .seconds(20))
        #expect(record.values == ["10", "20"])
        try await worker.advance(by: .seconds(10))
        #expect(record.values == ["10", "20", "30"])
    }

    @Test("has the same course each time, however many runs compete")
    func determinism() async throws {
        func course() async throws -> [String] {
            let clock = TestClock()
            let record = Record<String>()
            let pipeline = PipelineOrchestrator(clock: clock)
            for name in ["a", "b"] {
                pipeline.register(
                    Step(ActionID(name)) { context in
                        await withTaskGroup(of: Void.self) { group in
                            for part in 0..<3 {
                                group.addTask {
                                    await Task.yield()
                                    record.add("\(context.runID?.text ?? "") \(name)\(part)")
                                }
                            }
                        }
                        try? await clock.sleep(for: .seconds(1))
                        return .completed
                    }
                )
            }
            let worker = try await TestWorker(pipelines: [HostedPipeline("ab", pipeline, slots: 2)], clock: clock)
            for _ in 0..<5 { _ = try await worker.run("ab") }
            try await worker.advance(by: .seconds(60))
            return record.values
        }
        let first = try await course()
        #expect(first.count == 30)
        for _ in 0..<10 { #expect(try await course() == first) }
    }

    @Test("moves monitors: their minimum gap, their debounce and their interval")
    func monitors() async throws {
        let record = Record<String>()
        let stock = MonitorOrchestrator(clock: clock)
        stock.register(Check { [clock] in record.add("stock at \(clock.now.elapsed)") })
        let hourly = MonitorOrchestrator(interval: 3600)
        hourly.register(Check { [clock] in record.add("hourly at \(clock.now.elapsed)") })
        let debounce = HostedMonitor.Debounce(quiet: .seconds(2), maximumWait: .seconds(10))
        let worker = try await TestWorker(
            monitors: [
                HostedMonitor("stock", stock, topics: ["stock.>"], debounce: debounce),
                HostedMonitor("hourly", hourly, topics: ["never"]),
            ],
            clock: clock
        )
        #expect(Set(record.values) == ["stock at 0.0 seconds", "hourly at 0.0 seconds"])
        try await worker.advance(by: .seconds(100))
        #expect(try await worker.notify("stock.apples") == 1)
        #expect(try await worker.cycles(of: "stock") == 1)
        try await worker.advance(by: .seconds(2))
        #expect(try await worker.cycles(of: "stock") == 2)
        #expect(record.values.last == "stock at 102.0 seconds")
        try await worker.advance(by: .seconds(2 * 3600))
        #expect(record.values.suffix(2) == ["hourly at 3600.0 seconds", "hourly at 7200.0 seconds"])
    }

    @Test("shows whether the checks of an interval fail, and when the next one comes")
    func interval() async throws {
        struct DiskCheck: MonitorAction, FallibleAction {
            let id: ActionID = "check"
            let priority: ActionPriority = .medium
            let results: Record<ActionResult>
            func shouldRun() async -> Bool { true }
            func run() async throws -> ActionResult { results.values.last ?? .completed }
        }
        let results = Record<ActionResult>()
        let monitor = MonitorOrchestrator(interval: 60)
        monitor.register(DiskCheck(results: results))
        let worker = try await TestWorker(monitors: [HostedMonitor("disk", monitor, topics: [])], clock: clock)
        func standing() async throws -> JSONObject {
            guard case .shown(let item) = try await worker.ask(.show(ShowRequest(.monitor, "disk"))) else { return [:] }
            return item
        }
        try await worker.advance(by: .seconds(10))
        #expect(try await standing()["failures"] == nil)
        #expect(try await standing()["next_at_ms"] == .integer(clock.unixMilliseconds + 60_000))
        results.add(.failed("no disk"))
        try await worker.advance(by: .seconds(50))
        var found = try await standing()
        #expect(found["failures"] == 1 && found["reason"] == "check: no disk" && found["cycles"] == 2)
        let retry = try #require(found["next_at_ms"]?.integer) - clock.unixMilliseconds
        #expect((60_500...61_000).contains(retry), "a failed check is repeated before the next tick")
        try await worker.advance(by: .seconds(1))
        #expect(try await standing()["failures"] == 2)
        results.add(.completed)
        try await worker.advance(by: .seconds(59))
        found = try await standing()
        #expect(found["failures"] == nil && found["reason"] == nil && found["state"] == "idle")
        #expect(found["next_at_ms"] == .integer(clock.unixMilliseconds + 180_000))
    }

    @Test("passes through a start-up that waits")
    func startup() async throws {
        struct WarmUp: SequenceAction {
            let id: ActionID = "warm-up"
            let priority: ActionPriority = .high
            let clock: TestClock
            func shouldRun() async -> Bool { true }
            func execute() async { try? await clock.sleep(for: .seconds(60)) }
        }
        let startup = SequenceOrchestrator(clock: clock)
        startup.register(WarmUp(clock: clock))
        let worker = try await TestWorker(pipelines: [deploying(clock)], startup: startup, clock: clock)
        await #expect { try await worker.run("deploy", seeds: ["version": "42"]) } throws: {
            ($0 as? BusError)?.code == .notReady
        }
        try await worker.advance(by: .seconds(60))
        try await worker.expectRun("deploy", seeds: ["version": "42"], .waiting)
    }

    @Test("is not moved while an action waits for something else: the error names the action")
    func busy() async throws {
        let (began, signal) = (CompletionSignal(), CompletionSignal())
        let pipeline = PipelineOrchestrator(clock: clock)
        pipeline.register(
            Step("call") { _ in
                began.complete()
                await signal.wait()
                return .completed
            }
        )
        let worker = try await TestWorker(pipelines: [HostedPipeline("call", pipeline)], clock: clock)
        _ = try await worker.bus.submit(Request(.run(RunRequest(pipeline: "call"))), as: .local)
        await began.wait()
        await #expect { try await worker.settle(within: .milliseconds(20)) } throws: {
            "\($0)".contains("\"call\"") && "\($0)".contains("run-1-1")
        }
        signal.complete()
        try await worker.settle()
        try await worker.expectRun("call", .completed)
    }
}

import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import TestSupport
import Testing
import ZeroMQ

@Suite("A hosted monitor", .timeLimit(.minutes(30)))
struct MonitorTimingTests {
    private let starts = Record<MonitorCauses>()

    /// A monitor whose action says that it started, and then does this.
    private func monitor(
        _ name: Name = "m",
        debounce: HostedMonitor.Debounce? = nil,
        timeLimit: Duration = .seconds(60),
        _ body: @escaping @Sendable (_ start: Int) async -> ActionResult = { _ in .completed }
    ) -> HostedMonitor {
        let check = Check("check") { [starts] in
            starts.add(MonitorCauses.current)
            return await body(starts.count)
        }
        return HostedMonitor(
            name,
            ForgeBusWorkerTests.monitor(check),
            topics: ["t.>"],
            minimumGap: .zero,
            debounce: debounce,
            timeLimit: timeLimit
        )
    }

    @Test("whose cycle takes too long answers overdue, cancels it, and is evaluated again though nobody asks")
    func overdue() async throws {
        let forever = CompletionSignal()
        let hosted = monitor(timeLimit: .milliseconds(50)) { start in
            if start == 2 { try? await forever.waitUnlessCancelled() }
            return .completed
        }
        try await serving(monitors: [hosted]) { serving in
            await starts.reach(1)
            let client = try await serving.client()
            let part = try await client.notifyAndWait("t.a").monitors[0]
            #expect(part.state == .overdue)
            #expect(part.cycle == nil)
            await starts.reach(3)
            #expect(starts.values[2].topics.map(\.topic) == ["t.a"], "it was cut short")
        }
    }

    @Test("begins no cycle beside one that does not heed its cancellation, and covers afterwards what came meanwhile")
    func stuck() async throws {
        let hold = CompletionSignal()
        let running = Record<Int>()
        let hosted = monitor(timeLimit: .milliseconds(50)) { start in
            running.add(1)
            if start == 2 { await hold.wait() }
            running.add(-1)
            return .completed
        }
        try await serving(monitors: [hosted]) { serving in
            await starts.reach(1)
            let client = try await serving.client()
            // The cycle at the start has ended, and is not the one that covers what comes now.
            while try await client.list(.monitors).items[0]["cycles"] != 1 {}
            #expect(try await client.notifyAndWait("t.a").monitors.map(\.state) == [.overdue])
            #expect(try await client.notifyAndWait("t.b").monitors.map(\.state) == [.overdue])
            #expect(try await client.list(.monitors).items[0]["state"] == "overdue, owed")
            #expect(starts.count == 2)
            hold.complete()
            await starts.reach(3)
            #expect(starts.values[2].topics.map(\.topic) == ["t.a", "t.b"])
            #expect(running.values == [1, -1, 1, -1, 1] || running.values == [1, -1, 1, -1, 1, -1])
        }
    }

    @Test("whose action failed answers so, and tries again though nobody asks")
    func failed() async throws {
        let hosted = monitor { $0 == 2 ? .failed("no disk") : .completed }
        try await serving(monitors: [hosted]) { serving in
            await starts.reach(1)
            let client = try await serving.client()
            let part = try await client.notifyAndWait("t.a").monitors[0]
            #expect(part.state == .failed)
            #expect(part.actions.map(\.result) == [.failed("no disk")])
            await starts.reach(3)
            #expect(starts.values[2].topics.map(\.topic) == ["t.a"])
        }
    }

    @Test("that waits for silence waits no longer than it may")
    func debounce() async throws {
        let wait: Duration = .milliseconds(150)
        let hosted = monitor(debounce: HostedMonitor.Debounce(quiet: wait, maximumWait: wait))
        try await serving(monitors: [hosted]) { serving in
            await starts.reach(1)
            let client = try await serving.client()
            let start = ContinuousClock.now
            #expect(try await client.notifyAndWait("t.a").monitors.map(\.state) == [.ran])
            #expect(ContinuousClock.now - start >= wait)
        }
    }

    @Test("that waits for silence is evaluated before the worker stops")
    func debounceAtStop() async throws {
        let hosted = monitor(debounce: HostedMonitor.Debounce(quiet: .seconds(3600), maximumWait: .seconds(3600)))
        try await serving(monitors: [hosted], configure: { $0.drainTime = .seconds(120) }) { serving in
            await starts.reach(1)
            let client = try await serving.client()
            async let evaluation = client.notifyAndWait("t.a")
            while try await client.list(.monitors).items[0]["state"] != "owed" {}
            serving.cancel()
            #expect(try await evaluation.monitors.map(\.state) == [.ran])
            try await serving.end().get()
        }
    }

    @Test("does not keep a notification waiting for its evaluation at the start")
    func start() async throws {
        try await serving(monitors: [monitor()], configure: { $0.startJitter = .seconds(3600) }) { serving in
            let client = try await serving.client()
            #expect(try await client.notifyAndWait("t.a").monitors.map(\.state) == [.ran])
            #expect(starts.count == 1)
        }
    }

    @Test("is not delayed by another that hangs")
    func neighbours() async throws {
        let forever = CompletionSignal()
        let quick = monitor("quick")
        let stuck = HostedMonitor(
            "stuck",
            ForgeBusWorkerTests.monitor(
                Check("check") {
                    try? await forever.waitUnlessCancelled()
                    return .completed
                }
            ),
            topics: [">"]
        )
        try await serving(monitors: [stuck, quick], configure: { $0.drainTime = .milliseconds(10) }) { serving in
            let client = try await serving.client()
            for _ in 1...3 {
                let before = starts.count
                try await client.notify("t.a")
                await starts.reach(before + 1)
            }
            let evaluation = try await client.notifyAndWait("t.a", deadline: .milliseconds(1))
            #expect(evaluation.pending.contains("stuck"))
        }
    }

    @Test("tells its conditions and actions what was said, by whom, and where it is traced")
    func causes() async throws {
        let asked = Record<MonitorCauses>()
        let orchestrator = MonitorOrchestrator()
        orchestrator.register(Curious(asked: asked, ran: starts))
        let hosted = HostedMonitor("m", orchestrator, topics: ["t.>"], minimumGap: .zero)
        try await serving(monitors: [hosted]) { serving in
            await starts.reach(1)
            let dealer = try await RawDealer(serving.endpoint)
            let trace = "0af7651916cd43dd8448eb211c80319c"
            try await dealer.send(
                "FORGE/1 NOTIFY",
                "a",
                "t.a",
                #"{"reply":"evaluated","source":"shop","traceparent":"00-\#(trace)-b7ad6b7169203331-01"}"#,
                #"{"sku":42}"#
            )
            _ = try await dealer.answers(2)
            #expect(asked.values[0].isEmpty, "the evaluation at the start")
            #expect(asked.values == starts.values)
            let cause = starts.values[1].topics[0]
            #expect(cause.topic == "t.a")
            #expect(cause.count == 1)
            #expect(cause.publisher == "local/shop")
            #expect(cause.traceIDs == [trace])
            #expect(cause.lastBody == Array(#"{"sku":42}"#.utf8))
            #expect(cause.firstUnixMilliseconds > 1_700_000_000_000)
            await dealer.close()
        }
    }
}

/// An action whose condition looks at the causes too.
private struct Curious: MonitorAction {
    let id: ActionID = "curious"
    let priority = ActionPriority.medium
    let asked: Record<MonitorCauses>
    let ran: Record<MonitorCauses>

    func shouldRun() async -> Bool {
        asked.add(.current)
        return true
    }

    func execute() async { ran.add(.current) }
}

@Suite("A monitor that cannot work")
struct MonitorFlawTests {
    private func error(_ monitor: HostedMonitor) throws -> WorkerError.Code? {
        let configuration = WorkerConfiguration(endpoints: [try Endpoint("tcp://127.0.0.1:*")])
        do throws(WorkerError) {
            _ = try BusWorker(configuration, monitors: [monitor], logger: .silent)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("is refused before the worker starts")
    func refused() throws {
        let orchestrator = MonitorOrchestrator()
        let debounce = HostedMonitor.Debounce(quiet: .seconds(2), maximumWait: .seconds(1))
        let negative = HostedMonitor.Debounce(quiet: .seconds(-2), maximumWait: .seconds(1))
        #expect(try error(HostedMonitor("m", orchestrator, topics: [">"])) == nil)
        #expect(try error(HostedMonitor("m", orchestrator, topics: [">"], debounce: debounce)) == .definition)
        #expect(try error(HostedMonitor("m", orchestrator, topics: [">"], debounce: negative)) == .definition)
        #expect(try error(HostedMonitor("m", orchestrator, topics: [">"], timeLimit: .zero)) == .definition)
        #expect(try error(HostedMonitor("m", orchestrator, topics: [">"], minimumGap: .seconds(-1))) == .definition)
    }
}

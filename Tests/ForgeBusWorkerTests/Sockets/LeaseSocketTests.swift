import ForgeBusClient
import ForgeBusProtocol
import ForgeBusStore
import ForgeBusWorker
import ForgeOrchestrator
import TestSupport
import Testing
import ZeroMQ

@Suite("A worker with a lease", .timeLimit(.minutes(30)))
struct LeaseSocketTests {
    private let store = LeasedStore()
    private let executed = Record<String>()

    private func stage(_ id: ActionID, priority: ActionPriority, _ act: @escaping @Sendable () -> Void = {}) -> Stage {
        Stage(id, priority: priority) { [executed] context in
            executed.add("\(id.rawValue) in epoch \(context.epoch ?? 0)")
            act()
            return .completed
        }
    }

    private var configuration: WorkerConfiguration {
        get throws { WorkerConfiguration(endpoints: [try Endpoint("tcp://127.0.0.1:*")]) }
    }

    private var pipelines: [HostedPipeline] {
        [HostedPipeline("p", pipeline(stage("first", priority: .high), stage("second", priority: .low)))]
    }

    @Test("names its runs after itself and the take-over, and tells actions which take-over it was")
    func names() async throws {
        try await serving(pipelines: pipelines, store: store) { serving in
            let result = try await serving.client().run("p")
            #expect(result.run.text == "deploys-7-1")
        }
        #expect(executed.values == ["first in epoch 7", "second in epoch 7"])
    }

    @Test("waits for a renewal before it tells what rests on no commit")
    func confirmed() async throws {
        try await serving(pipelines: pipelines, store: store) { serving in
            let dealer = try await RawDealer(serving.endpoint)
            let before = store.term.asked.count
            store.term.hold()
            try await dealer.send("FORGE/1 SHOW", "unknown", "run/nobody", "", "")
            try await dealer.send("FORGE/1 NOTIFY", "memory", "a.topic", #""durability":"memory""#, "")
            await store.term.asked.reach(before + 1)
            #expect(dealer.received.values.isEmpty)
            store.term.letGo()
            let answers = try await dealer.answers(2)
            #expect(Set(answers.compactMap { $0.id?.text }) == ["unknown", "memory"])
            await dealer.close()
        }
    }

    @Test("refuses requests at once while its database does not answer")
    func unanswered() async throws {
        try await serving(pipelines: pipelines, store: store) { serving in
            let client = try await serving.client()
            store.kept.hold()
            async let run = client.run("p")
            // It takes a second until the commit counts as slow.
            while try await client.worker().checks["store"] != "slow" {}
            let dealer = try await RawDealer(serving.endpoint)
            try await dealer.send("FORGE/1 RUN", "other", "p", "", "")
            guard case .error(let error)? = try await dealer.answers(1).first?.content else {
                throw Missing("a refusal")
            }
            #expect(error.code == .busy && error.details["limit"] == "store")
            #expect(try await serving.worker.counters[.refusedStore] >= 1)
            store.kept.letGo()
            #expect(try await run.state == .completed)
            await dealer.close()
        }
    }

    @Test("says and starts nothing once it is over, and ends")
    func silent() async throws {
        try await serving(pipelines: pipelines, store: store) { serving in
            let dealer = try await RawDealer(serving.endpoint)
            try await dealer.send("FORGE/1 RUN", "run", "p", "", "")
            let before = try await dealer.answers(2)
            store.term.lose()
            for (command, subject) in [
                ("RUN", "p"), ("SHOW", "run/deploys-7-1"), ("PING", ""), ("NOTIFY", "a.topic"),
                ("COMPLETE", "a.signal"),
            ] { try await dealer.send("FORGE/1 \(command)", command == "RUN" ? "run" : command, subject, "", "") }
            guard case .failure(let error as WorkerError) = await serving.end() else { throw Missing("an error") }
            #expect(error.code == .superseded)
            #expect(dealer.received.count == before.count)
            await dealer.close()
        }
        #expect(executed.count == 2)
    }

    @Test("begins no further action of a run when it is over")
    func actions() async throws {
        let first = stage("first", priority: .high) { [store] in store.term.lose() }
        let hosted = HostedPipeline("p", pipeline(first, stage("second", priority: .low)))
        try await serving(pipelines: [hosted], store: store) { serving in
            let dealer = try await RawDealer(serving.endpoint)
            try await dealer.send("FORGE/1 RUN", "run", "p", "", "")
            _ = await serving.end()
            await dealer.close()
        }
        #expect(executed.values == ["first in epoch 7"])
    }

    @Test("begins no further action of a monitor when it is over")
    func monitors() async throws {
        let checks = MonitorOrchestrator()
        for (id, priority) in [("first", ActionPriority.high), ("second", .low)] {
            checks.register(
                Check(ActionID(id), priority: priority) { [executed, store] in
                    executed.add(id)
                    store.term.lose()
                    return .completed
                }
            )
        }
        let hosted = HostedMonitor("shelf", checks, topics: ["stock.>"])
        try await serving(monitors: [hosted], store: store, awaitingReady: false) { serving in _ = await serving.end() }
        #expect(executed.values == ["first"])
    }

    @Test("ends by itself when it is not renewed, without any message")
    func watches() async throws {
        store.term.end(at: .now + .seconds(1))
        let worker = try BusWorker(try configuration, store: store, logger: .silent)
        let error = await #expect(throws: WorkerError.self) { try await worker.run() }
        #expect(error?.code == .superseded)
    }

    @Test("can be told to stop while another process holds its store")
    func standby() async throws {
        let waiting = LeasedStore(isHeldElsewhere: true)
        let worker = try BusWorker(try configuration, store: waiting, logger: .silent)
        let running = Task { try await worker.run() }
        running.cancel()
        try await running.value
    }
}

import ForgeBusClient
import ForgeBusProtocol
import ForgeBusStore
import ForgeBusWorker
import ForgeOrchestrator
import Scorecard
import TestSupport
import Testing

@Suite("A worker with a store that survives", .timeLimit(.minutes(30)))
struct StoreSocketTests {
    private let store = LastingStore()
    private let executed = Record<String>()

    private func stage(_ id: ActionID, priority: ActionPriority, _ act: @escaping @Sendable () -> Void = {}) -> Stage {
        Stage(id, priority: priority) { [executed] _ in
            executed.add(id.rawValue)
            act()
            return .completed
        }
    }

    @Test("says which store it has: the next one on it says the same, and one without has its own")
    func identity() async throws {
        let stores: [(any BusStore)?] = [store, store, LastingStore(), nil, nil]
        var identities: [String?] = []
        for store in stores {
            try await serving(store: store, keepsRecords: false) { serving in
                let client = try await serving.client()
                let welcome = try await client.hello()
                identities.append(welcome.store)
            }
        }
        #expect(identities[0] == identities[1] && !identities.contains(nil))
        #expect(Set(identities).count == 4)
    }

    @Test("and strict checkpoints begins an action when it is committed how the one before ended, and what it left")
    func strict() async throws {
        let first = Stage("first", priority: .high) { [store, executed] context in
            context.set("v", 7)
            executed.add("first")
            store.hold()
            return .completed
        }
        let second = stage("second", priority: .low)
        let hosted = HostedPipeline("p", pipeline(first, second), checkpoint: .strict)
        try await serving(pipelines: [hosted], store: store) { serving in
            let client = try await serving.client()
            async let result = client.run("p")
            while !store.commits.values.joined().contains(where: \.isEndOfFirst) { await Task.yield() }
            for _ in 0..<1000 { await Task.yield() }
            executed.add("committed")
            store.letGo()
            #expect(try await result.state == .completed)
        }
        #expect(executed.values == ["first", "committed", "second"])
    }

    @Test(
        "takes no runs while its room is short, finishes what has begun, and takes runs again when there is room",
        .scorecard(4)
    )
    func room() async throws {
        let gate = GateAction("approve", signal: "x.{run.id}")
        try await serving(pipelines: [HostedPipeline("p", pipeline(gate))], store: store) { serving in
            let client = try await serving.client(retriesRefusals: false)
            let runs = [try await client.submit("p").run, try await client.submit("p").run]
            while try await client.list(.signals).items.count < 2 {}
            store.tell(.short)
            // The worker hears of it within a moment.
            var refusal: BusError?
            while refusal == nil { refusal = try await failure { _ = try await client.submit("p") } }
            #expect(refusal?.code == .busy)
            #expect(refusal?.details["limit"] == "disk")
            #expect(refusal?.isRetryable == true)
            #expect(try await client.complete(SignalID("x.\(runs[0])")).verdict == .delivered)
            guard case .ended(let approved) = try await client.attach(runs[0]) else { throw Missing("a result") }
            #expect(approved.state == .completed)
            try await client.cancel(runs[1])
            guard case .ended(let cancelled) = try await client.attach(runs[1]) else { throw Missing("a result") }
            #expect(cancelled.state == .cancelled)
            store.tell(.ample)
            while let refusal = try await failure({ _ = try await client.submit("p") }) {
                #expect(refusal.code == .busy)
            }
        }
    }

    @Test("has the store do what an operator asks, once for each id")
    func tasks() async throws {
        try await serving(store: store) { serving in
            let client = try await serving.client()
            let id = try RequestID("v")
            for _ in 0...1 {
                let report = try await client.admin("store.verify", id: id)
                #expect(report.state == .done)
                #expect(report.durability == .fsynced)
                #expect(report.details["sound"] == true)
            }
            #expect(try await client.admin("store.stats").details["records"] == 1)
            let copy = try await client.admin("store.backup", ["name": "monday"])
            #expect(copy.details["name"] == "monday")
            #expect(try await code { _ = try await client.admin("store.backup") } == .badBody)
            #expect(try await code { _ = try await client.admin("store.compact") } == .unknownVerb)
        }
        #expect(store.performed.values == [.verify, .stats, .backup(name: "monday")])
        try await serving(store: store) { serving in
            let again = try await serving.client().admin("store.verify", id: try RequestID("v"))
            #expect(again.details["sound"] == true)
        }
        #expect(store.performed.count == 3, "it was answered from what is kept")
    }

    @Test("tells why the store could not do what an operator asks, and may be asked again under the same id")
    func failedTask() async throws {
        try await serving(store: MemoryStore()) { serving in
            let client = try await serving.client()
            let id = try RequestID("b")
            for _ in 0...1 {
                let error = try await failure {
                    _ = try await client.admin("store.backup", ["name": "monday"], id: id)
                }
                #expect(error?.code == .storeFailed)
            }
            #expect(try await client.admin("store.verify", id: id).state == .done)
        }
    }

    @Test(
        "does not begin where the store cannot be had or is not sound, and says which",
        arguments: [
            (StoreError.Code.unavailable, WorkerError.Code.storeUnavailable), (.unsound, .storeUnsound),
            (.inputOutput, .store),
        ]
    )
    func load(_ code: StoreError.Code, _ expected: WorkerError.Code) async throws {
        store.refuse(StoreError(code, "It is so.", next: "Do this."))
        do {
            try await serving(store: store) { _ in _ = Issue.record("it serves") }
        } catch let error as WorkerError {
            #expect(error == WorkerError(expected, "It is so.", next: "Do this."))
        }
        #expect(store.commits.count == 0)
    }
}

extension StoreChange {
    /// Whether it keeps that the first action ended, with what it left.
    fileprivate var isEndOfFirst: Bool {
        guard case .put(.progress(let progress)) = self else { return false }
        return progress.actions.map(\.action) == ["first"] && progress.values.map(\.key) == ["v"]
    }
}

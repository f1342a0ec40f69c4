import ForgeBusClient
import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Scorecard
import TestSupport
import Testing

@testable import ForgeBusWorker
@testable import ZeroMQ

@Suite("A worker whose store is slow")
struct SlowStoreTests {
    @Test("lets nothing leave before its commit, no answer and no action, and keeps the order")
    func order() async throws {
        let store = SteppedStore()
        let started = Record<Int>()
        let work = Stage("work") { _ in
            started.add(1)
            return .completed
        }
        try await serving(pipelines: [HostedPipeline("p", pipeline(work))], store: store) { serving in
            store.hold()
            let dealer = try await RawDealer(serving.endpoint)
            let before = try await serving.worker.counters
            try await dealer.send("FORGE/1 RUN", "a", "p", "", "")
            await store.commits.reach(1)
            try await dealer.send("FORGE/1 PING", "b", "", "", "")
            // What comes in one turn waits for one commit.
            while try await serving.worker.counters[.received] < before[.received] + 2 { try Task.checkCancellation() }
            try await dealer.send("FORGE/1 COMPLETE", "c", "s", "", "")
            await store.commits.reach(2)
            try await dealer.send("nonsense")
            while try await serving.worker.counters[.received] < before[.received] + 4 { try Task.checkCancellation() }
            #expect(
                try await serving.worker.counters[.answered] == before[.answered],
                "the turn that took the last is over"
            )
            #expect(started.count == 0)
            store.release(1)
            #expect(try await dealer.answers(2).map(\.word) == ["a accepted", "b pong"])
            await started.reach(1)
            #expect(dealer.received.count == 2, "the verdict waits for its own commit")
            // The run's steps may be a commit of their own, or one with its end.
            store.releaseAll()
            let lines = try await dealer.answers(5).map(\.word)
            #expect(lines[2...] == ["c verdict", "- error", "a result"])
            await dealer.close()
        }
    }

    @Test(
        "says busy while too much waits for it, at once, and takes everything again when it is done",
        .timeLimit(.minutes(30))
    )
    func heldUp() async throws {
        let store = SteppedStore()
        try await serving(store: store, configure: { $0.limits.backlogSizeInBytes = 64 * 4608 }) { serving in
            let dealer = try await RawDealer(serving.endpoint)
            store.hold()
            try await dealer.send("FORGE/1 COMPLETE", "a", "s", "", "")
            await store.commits.reach(1)
            let (count, body) = (100, String(repeating: "x", count: 4096))
            for number in 0..<count { try await dealer.send("FORGE/1 PING", "p\(number)", "", "", body) }
            // Of these 64 may wait, and those of one commit come together.
            let busy = try await dealer.answers(12).map(\.word)
            #expect(busy.allSatisfy { $0.hasSuffix("error") })
            store.release(1)
            let all = try await dealer.answers(count + 1).map(\.word)
            #expect((12...36).contains(all.count { $0.hasSuffix("error") }))
            #expect(try await serving.worker.counters[.refusedBacklog] == all.count { $0.hasSuffix("error") })
            try await dealer.send("FORGE/1 PING", "b", "", "", "")
            #expect(try await dealer.answers(count + 2).last?.word == "b pong")
            await dealer.close()
        }
    }

    @Test("sleeps while it commits, until a commit was quick, and after one that was not", .timeLimit(.minutes(30)))
    func awake() async throws {
        let store = SteppedStore()
        try await serving(store: store) { serving in
            let client = try await serving.client()
            let loop = try await serving.worker.lifecycle.bound().loop
            let reactor = loop.reactor
            await loop.take(quickness: .seconds(3600), on: reactor)
            try await decide(1, client, store) { #expect(await reactor.awakeUntil == nil) }
            try await decide(2, client, store) { #expect(await reactor.awakeUntil != nil) }
            await loop.take(quickness: .zero, on: reactor)
            try await decide(3, client, store) {}
            await reactor.stayAwake(until: .now)
            while await reactor.awakeUntil != nil { await Task.yield() }
            try await decide(4, client, store) { #expect(await reactor.awakeUntil == nil) }
        }
    }

    /// A decision whose commit is done once `body` is.
    private func decide(
        _ number: Int,
        _ client: BusClient,
        _ store: SteppedStore,
        _ body: () async throws -> Void
    ) async throws {
        store.hold()
        let before = store.commits.count
        async let outcome = client.complete(SignalID("s\(number)"))
        await store.commits.reach(before + 1)
        try await body()
        store.releaseAll()
        _ = try await outcome
    }

    @Test("resumes a waiter only when the decision is committed")
    func waiter() async throws {
        let store = SteppedStore()
        try await serving(store: store) { serving in
            let decided = Record<GateDecision>()
            let gate = Task { decided.add(try await serving.worker.gate("s", owner: "ops")) }
            let client = try await serving.client()
            while try await client.list(.signals).items.isEmpty {}
            store.hold()
            async let verdict = client.complete("s", value: 1).verdict
            await store.commits.reach(2)
            #expect(decided.count == 0)
            store.release(1)
            #expect(try await verdict == .delivered)
            try await gate.value
            #expect(decided.values == [.approved(1)])
        }
    }

    @Test("that is durable is named so in what it answers")
    func durability() async throws {
        try await serving(store: SteppedStore(durability: .fsynced)) { serving in
            let client = try await serving.client()
            let report = try await client.complete("s")
            #expect(report.durability == .fsynced)
            #expect(report.retention == .seconds(24 * 3600))
            #expect(try await client.notify("t").durability == .memory)
        }
    }
}

@Suite("A worker whose store fails", .scorecard(5))
struct FailingStoreTests {
    private let failure = StoreError(.inputOutput, "The disk is full.", next: "Make room.")

    @Test("acknowledges nothing after that, begins nothing, and ends with the store's error", .timeLimit(.minutes(30)))
    func failing() async throws {
        let store = SteppedStore()
        let started = Record<Int>()
        let work = Stage("work") { _ in
            started.add(1)
            return .completed
        }
        try await serving(pipelines: [HostedPipeline("p", pipeline(work))], store: store) { serving in
            let dealer = try await RawDealer(serving.endpoint)
            store.fail(failure)
            try await dealer.send("FORGE/1 RUN", "a", "p", "", "")
            try await dealer.send("FORGE/1 PING", "b", "", "", "")
            do {
                try await serving.end().get()
                Issue.record("it ended well")
            } catch let error as WorkerError {
                #expect(error.code == .store)
                #expect(error.message == failure.message)
                #expect(error.next == failure.next)
            }
            #expect(!dealer.received.values.contains { $0[1] == "a" })
            #expect(started.count == 0)
            await dealer.close()
        }
    }

    @Test("leaves nobody waiting for it", .timeLimit(.minutes(30)))
    func waiters() async throws {
        let store = SteppedStore()
        try await serving(store: store) { serving in
            async let decision = serving.worker.gate("s", owner: "ops")
            let client = try await serving.client()
            while try await client.list(.signals).items.isEmpty {}
            store.fail(failure)
            async let verdict = code { _ = try await client.complete("s") }
            guard case .closed = try await decision else { throw Missing("closed") }
            _ = await serving.end()
            await client.close()
            #expect(try await verdict == .closed)
        }
    }
}

extension Answer {
    fileprivate var word: String {
        let word =
            switch content {
            case .accepted: "accepted"
            case .verdict: "verdict"
            case .result: "result"
            case .pong: "pong"
            case .error: "error"
            case .progress, .evaluated, .page, .welcome, .ok, .shown, .event: "other"
            }
        return "\(id?.text ?? "-") \(word)"
    }
}

extension WorkerLoop {
    fileprivate func take(quickness: Duration, on reactor: isolated Reactor) { committer.quickness = quickness }
}

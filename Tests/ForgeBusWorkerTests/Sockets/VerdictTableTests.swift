import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import Scorecard
import TestSupport
import Testing

/// The table of verdicts, row by row, as a client learns them: before, during and after the wait.
@Suite("The verdict over a socket")
struct VerdictTableTests {
    private let waiting = Record<SignalID>()

    /// A pipeline that waits at a gate, `deadline` long.
    private func pipeline(deadline: Duration? = nil) -> HostedPipeline {
        let orchestrator = PipelineOrchestrator()
        orchestrator.register(GateAction("approve", signal: "deploy.{seed.name}", deadline: deadline))
        return HostedPipeline("deploy", orchestrator, seeds: [.required("name", .string)], outputs: ["approve"])
    }

    /// Runs with a gate that waits under `deploy.NAME`, once it does.
    private func begin(_ name: String, on client: BusClient) async throws -> Task<RunResult, any Error> {
        let before = waiting.count
        let run = Task { [waiting] in
            try await client.run("deploy", seeds: ["name": .string(name)]) { event in
                guard case .progress(let progress) = event else { return }
                if case .waiting(_, let signal) = progress.change { waiting.add(signal) }
            }
        }
        await waiting.reach(before + 1)
        return run
    }

    @Test("before the wait: unknown unless keeping is asked for; then buffered, duplicate, conflict, and decided")
    func before() async throws {
        try await serving(pipelines: [pipeline()]) { serving in
            let client = try await serving.client()
            let early = try await client.complete("deploy.a", value: 1, keeping: .seconds(60))
            guard case .buffered(let time) = early.verdict else { throw Missing("buffered") }
            #expect(time == .seconds(60))
            #expect(try await client.complete("deploy.a", value: 1).verdict == .duplicate)
            #expect(try await client.complete("deploy.a", value: 2).verdict.word == "conflict")
            #expect(try await client.reject("deploy.a").verdict.word == "conflict")
            #expect(try await client.complete("deploy.b", keeping: .zero).verdict.word == "unknown")
            let unasked = try await client.complete("deploy.b")
            guard case .unknown(let why) = unasked.verdict else { throw Missing("unknown") }
            #expect(why.contains("keep_ms"), "a gate's early decision is asked for")
            let result = try await client.run("deploy", seeds: ["name": "a"])
            #expect(result.outputs == ["approve": 1], "the first decision counts")
            #expect(try await client.complete("deploy.a", value: 1).verdict == .duplicate)
        }
    }

    @Test("during the wait: delivered; the same message again gets it again, replayed")
    func during() async throws {
        try await serving(pipelines: [pipeline()]) { serving in
            let client = try await serving.client()
            let run = try await begin("a", on: client)
            let id = RequestID.random()
            let first = try await client.complete("deploy.a", value: "yes", id: id)
            #expect(first.verdict == .delivered)
            #expect(try await client.complete("deploy.a", value: "yes", id: id) == first)
            #expect(try await run.value.outputs == ["approve": "yes"])
            #expect(try await code { try await client.complete("deploy.a", value: "no", id: id) } == .idConflict)
        }
    }

    @Test("after the wait: duplicate, conflict with what stands, expired, closed")
    func after() async throws {
        try await serving(pipelines: [pipeline()]) { serving in
            let client = try await serving.client()
            let run = try await begin("a", on: client)
            #expect(try await client.reject("deploy.a", reason: "no").verdict == .delivered)
            #expect(try await run.value.state == .failed)
            #expect(try await client.reject("deploy.a", reason: "no").verdict == .duplicate)
            guard case .conflict(let standing) = try await client.complete("deploy.a").verdict else {
                throw Missing("conflict")
            }
            #expect(standing.decision == .rejected)
            #expect(standing.principal == "local")

            let cancelled = try await begin("b", on: client)
            let id = try #require(
                try await client.list(.runs).items.first { $0["state"] == "waiting" }?["run"]?.string
            )
            let dealer = try await RawDealer(serving.endpoint)
            try await dealer.send("FORGE/1 CANCEL", "stop", id, "", "")
            guard case .ok(let report) = try await dealer.answers(1)[0].content else { throw Missing("OK") }
            #expect(report.run?.text == id)
            await dealer.close()
            #expect(try await cancelled.value.state == .cancelled)
            guard case .closed = try await client.complete("deploy.b").verdict else { throw Missing("closed") }
        }
    }

    @Test("after the deadline: expired, whatever is sent")
    func expired() async throws {
        try await serving(pipelines: [pipeline(deadline: .milliseconds(1))]) { serving in
            let client = try await serving.client()
            #expect(try await client.run("deploy", seeds: ["name": "a"]).state == .failed)
            #expect(try await client.complete("deploy.a").verdict == .expired)
            #expect(try await client.reject("deploy.a").verdict == .expired)
        }
    }

    @Test(
        "in races of two approvers: one delivered, the other conflict or duplicate, and the gate as it says",
        .scorecard(17)
    )
    func races() async throws {
        try await serving(pipelines: [pipeline()]) { serving in
            let (requester, ada, bob) = (
                try await serving.client(), try await serving.client(), try await serving.client()
            )
            var latencies: [Duration] = []
            let count = Scorecard.trials(100, full: 1_000)
            for race in 0..<count {
                let name = "r\(race)"
                let signal = SignalID("deploy.\(name)")
                let run = try await begin(name, on: requester)
                let isSame = race.isMultiple(of: 2)
                let asked = ContinuousClock.now
                async let first = ada.complete(signal, value: "ada")
                async let second = isSame ? bob.complete(signal, value: "ada") : bob.reject(signal, reason: "bob")
                let verdicts = [try await first.verdict, try await second.verdict]
                latencies.append(asked.duration(to: .now))
                try #require(verdicts.count { $0 == .delivered } == 1)
                try #require(verdicts.contains { $0.word == (isSame ? "duplicate" : "conflict") })
                let isApproved = isSame || verdicts[0] == .delivered
                try #require(try await run.value.state == (isApproved ? .completed : .failed))
            }
            Scorecard.count(count, latencies: latencies)
        }
    }

    @Test("of a late duplicate never decides the next gate", .scorecard(17))
    func lateDuplicate() async throws {
        try await serving(pipelines: [pipeline()]) { serving in
            let client = try await serving.client()
            let first = try await begin("a", on: client)
            let id = RequestID.random()
            #expect(try await client.complete("deploy.a", id: id).verdict == .delivered)
            #expect(try await first.value.state == .completed)
            let second = try await begin("b", on: client)
            for _ in 0..<3 { #expect(try await client.complete("deploy.a", id: id).verdict == .delivered) }
            #expect(try await client.list(.signals).items.map { $0["signal"] } == ["deploy.b"], "it waits on")
            #expect(try await client.reject("deploy.b").verdict == .delivered)
            #expect(try await second.value.state == .failed)
        }
    }
}

import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import Scorecard
import TestSupport
import Testing

/// A pipeline whose second action must not happen without the approval of the first.
private struct Guarded {
    let deployed = Record<String>()
    let waiting = Record<SignalID>()

    func pipeline(_ gate: any PipelineAction, slots: Int = 32) -> HostedPipeline {
        let deploy = Stage("deploy", priority: .low, requires: ["approve"]) { [deployed] _ in
            deployed.add("deployed")
            return .completed
        }
        let orchestrator = PipelineOrchestrator()
        orchestrator.register(gate)
        orchestrator.register(deploy)
        return HostedPipeline("deploy", orchestrator, outputs: ["approve"], slots: slots)
    }

    /// What a client does with what it is told of its run.
    var onEvent: @Sendable (RunEvent) -> Void {
        { [waiting] event in
            if case .progress(let progress) = event, case .waiting(_, let signal) = progress.change {
                waiting.add(signal)
            }
        }
    }

    /// That the guarded action never began, though the run is over.
    func isHeld(_ result: RunResult) -> Bool {
        deployed.count == 0 && result.actions.last?.action == "deploy" && result.actions.last?.result == .skipped
    }
}

@Suite("A gate over a socket")
struct GateSocketTests {
    private let guarded = Guarded()
    private let gate = GateAction("approve", signal: "deploy.{run.id}.approve", priority: .high)

    @Test("holds its run until another client approves, who gets the verdict; the run gets the value")
    func approved() async throws {
        try await serving(pipelines: [guarded.pipeline(gate)]) { serving in
            async let result = serving.client().run("deploy", onEvent: guarded.onEvent)
            let signal = await guarded.waiting.reach(1)[0]
            #expect(guarded.deployed.count == 0)
            let approver = try await serving.client()
            #expect(try await approver.complete(signal, value: ["by": "ada"]).verdict == .delivered)
            #expect(try await result.state == .completed)
            #expect(try await result.outputs == ["approve": ["by": "ada"]])
            #expect(guarded.deployed.count == 1)
        }
    }

    @Test("that is rejected fails its run, and what requires it never starts")
    func rejected() async throws {
        try await serving(pipelines: [guarded.pipeline(gate)]) { serving in
            async let answer = serving.client().run("deploy", onEvent: guarded.onEvent)
            let signal = await guarded.waiting.reach(1)[0]
            let approver = try await serving.client()
            #expect(try await approver.reject(signal, reason: "Friday").verdict == .delivered)
            let result = try await answer
            #expect(result.state == .failed)
            #expect(result.reason == "approve: rejected: Friday")
            #expect(guarded.isHeld(result))
        }
    }

    @Test("whose deadline passes fails its run, and what requires it never starts")
    func expired() async throws {
        let gate = GateAction("approve", signal: "x.{run.id}", priority: .high, deadline: .milliseconds(10))
        try await serving(pipelines: [guarded.pipeline(gate)]) { serving in
            let client = try await serving.client()
            let result = try await client.run("deploy", onEvent: guarded.onEvent)
            #expect(result.state == .failed)
            #expect(result.reason.hasPrefix("approve: expired"))
            #expect(guarded.isHeld(result))
            #expect(try await client.complete(guarded.waiting.values[0]).verdict == .expired)
        }
    }

    @Test("whose wait is cancelled fails its run, and what requires it never starts")
    func cancelled() async throws {
        let cancel = CompletionSignal()
        let gate = Stage("approve", priority: .high) { context in
            let wait = Task { try await context.gate("x") }
            await cancel.wait()
            wait.cancel()
            guard case .success(.approved) = await wait.result else { return .failed("withdrawn") }
            return .completed
        }
        try await serving(pipelines: [guarded.pipeline(gate)]) { serving in
            async let answer = serving.client().run("deploy", onEvent: guarded.onEvent)
            await guarded.waiting.reach(1)
            cancel.complete()
            let result = try await answer
            #expect(result.state == .failed)
            #expect(guarded.isHeld(result))
            guard case .closed = try await serving.client().complete("x").verdict else { throw Missing("closed") }
        }
    }

    @Test("of a run whose own deadline passes is closed, and what requires it never starts")
    func timedOut() async throws {
        try await serving(pipelines: [guarded.pipeline(gate)]) { serving in
            let client = try await serving.client()
            let result = try await client.run("deploy", deadline: .milliseconds(20), onEvent: guarded.onEvent)
            #expect(result.state == .timedOut)
            #expect(guarded.deployed.count == 0)
        }
    }

    @Test("that is not needed completes, and what requires it runs")
    func notNeeded() async throws {
        let gate = GateAction("approve", signal: "x.{run.id}", priority: .high, isNeeded: { _ in false })
        try await serving(pipelines: [guarded.pipeline(gate)]) { serving in
            let result = try await serving.client().run("deploy")
            #expect(result.state == .completed)
            #expect(guarded.deployed.count == 1)
        }
    }

    @Test("decided before it opens does not wait")
    func early() async throws {
        let gate = GateAction("approve", signal: "release.42", priority: .high)
        try await serving(pipelines: [guarded.pipeline(gate)]) { serving in
            let client = try await serving.client()
            let report = try await client.complete("release.42", value: "yes", keeping: .seconds(60))
            #expect(report.verdict == .buffered(for: .seconds(60)))
            let result = try await client.run("deploy", onEvent: guarded.onEvent)
            #expect(result.outputs == ["approve": "yes"])
            #expect(guarded.waiting.count == 0)
            #expect(try await client.complete("release.42", value: "yes").verdict == .duplicate)
        }
    }

    @Test("whose id another run has keeps a run from beginning that needs it")
    func takenBefore() async throws {
        let gate = GateAction("approve", signal: "release.42", priority: .high)
        try await serving(pipelines: [guarded.pipeline(gate)]) { serving in
            let client = try await serving.client()
            async let first = client.run("deploy", onEvent: guarded.onEvent)
            await guarded.waiting.reach(1)
            await #expect { try await client.run("deploy") } throws: { ($0 as? BusError)?.code == .idTaken }
            _ = try await client.complete("release.42")
            #expect(try await first.state == .completed)
            #expect(guarded.deployed.count == 1)
        }
    }

    @Test("whose id another run has fails a run that came to it without being sure to")
    func taken() async throws {
        let gate = GateAction("approve", signal: "release.42", priority: .high) { _ in true }
        try await serving(pipelines: [guarded.pipeline(gate)]) { serving in
            let client = try await serving.client()
            async let first = client.run("deploy", onEvent: guarded.onEvent)
            await guarded.waiting.reach(1)
            let second = try await client.run("deploy")
            #expect(second.state == .failed)
            #expect(second.reason.contains("id_taken"))
            _ = try await client.complete("release.42")
            #expect(try await first.state == .completed)
        }
    }

    @Test("raced for by two approvers goes to one of them, and the other learns it; two hundred times", .scorecard(17))
    func races() async throws {
        try await serving(pipelines: [guarded.pipeline(gate, slots: 200)]) { serving in
            let client = try await serving.client()
            let approvers = [try await serving.client(source: "ada"), try await serving.client(source: "bob")]
            try await withThrowingTaskGroup { [guarded] group in
                for _ in 0..<200 { group.addTask { try await client.run("deploy", onEvent: guarded.onEvent) } }
                for number in 0..<200 {
                    let signal = await guarded.waiting.reach(number + 1)[number]
                    // Every second time they agree.
                    let other: JSONValue = number.isMultiple(of: 2) ? "ada" : "bob"
                    async let first = approvers[0].complete(signal, value: "ada")
                    async let second = approvers[1].complete(signal, value: other)
                    let words = [try await first.verdict.word, try await second.verdict.word].sorted()
                    #expect(words == (other == "ada" ? ["delivered", "duplicate"] : ["conflict", "delivered"]))
                }
                for try await result in group { #expect(result.state == .completed) }
            }
            Scorecard.count(200)
            #expect(guarded.deployed.count == 200)
        }
    }
}

import ForgeBusClient
import ForgeBusProtocol
import ForgeLocks
import ForgeOrchestrator
import TestSupport
import Testing
import ZeroMQ

@testable import ForgeBusWorker

@Suite("A run that rests, over a socket")
struct RestSocketTests {
    private let told = Record<RunProgress.Change>()
    private let waiting = Record<SignalID>()
    private let accepted = Record<RunID>()

    /// What a client does with what it is told of its run.
    private var onEvent: @Sendable (RunEvent) -> Void {
        { [told, waiting, accepted] event in
            switch event {
            case .accepted(let acceptance): accepted.add(acceptance.run)
            case .progress(let progress):
                told.add(progress.change)
                if case .waiting(_, let signal) = progress.change { waiting.add(signal) }
            }
        }
    }

    private func prepare(_ context: PipelineContext) -> ActionResult {
        context.set("prepared", 42)
        return .completed
    }

    private func gated(_ gate: any PipelineAction, outputs: [String] = ["prepared", "approve"]) -> HostedPipeline {
        let prepare = Stage("prepare", priority: .critical) { self.prepare($0) }
        let deploy = Stage("deploy", priority: .low, requires: ["approve"])
        return HostedPipeline("deploy", pipeline(prepare, gate, deploy), outputs: outputs)
    }

    private let gate = GateAction("approve", signal: "x.{run.id}", priority: .high)

    /// How many runs have a task.
    private func tasks(_ serving: Serving) async throws -> Int {
        let loop = try await serving.worker.lifecycle.bound().loop
        return await loop.tasks(on: loop.reactor)
    }

    @Test("at a gate has no task, one that waits within an action has its own")
    func tasks() async throws {
        let within = Stage("approve", priority: .high) { context in
            (try? await context.signal("within")) == nil ? .failed("no") : .completed
        }
        let pipelines = [gated(gate), HostedPipeline("within", pipeline(within))]
        try await serving(pipelines: pipelines) { serving in
            let client = try await serving.client()
            async let first = client.run("deploy", onEvent: onEvent)
            async let second = client.run("deploy", onEvent: onEvent)
            let signals = await waiting.reach(2)
            #expect(try await tasks(serving) == 0)
            async let third = client.run("within", onEvent: onEvent)
            await waiting.reach(3)
            #expect(try await tasks(serving) == 1)
            for signal in signals.prefix(2) + ["within"] { try await client.complete(signal) }
            for result in [try await first, try await second, try await third] { #expect(result.state == .completed) }
            #expect(try await tasks(serving) == 0)
        }
    }

    @Test("is told to have begun its gate once, and its gate took as long as it waited")
    func progress() async throws {
        try await serving(pipelines: [gated(gate)]) { serving in
            let client = try await serving.client()
            async let answer = client.run("deploy", onEvent: onEvent)
            let signal = await waiting.reach(1)[0]
            let clock = ContinuousClock()
            let began = clock.now
            for _ in 0..<20 { _ = try await client.ping() }
            let waited = clock.now - began
            try await client.complete(signal, value: "yes")
            let result = try await answer
            #expect(
                told.values == [
                    .started(action: "prepare"), .finished(action: "prepare", .completed),
                    .started(action: "approve"), .waiting(action: "approve", signal: signal),
                    .resumed(action: "approve", signal: signal), .finished(action: "approve", .completed),
                    .started(action: "deploy"), .finished(action: "deploy", .completed),
                ]
            )
            #expect(result.outputs == ["prepared": 42, "approve": "yes"])
            let actions = result.actions
            #expect(actions.map(\.action) == ["prepare", "approve", "deploy"])
            #expect(actions[1].duration >= waited)
            #expect(actions[1].start >= actions[0].start + actions[0].duration)
            #expect(actions[2].start >= actions[1].start + actions[1].duration)
        }
    }

    @Test("and is cancelled says what it came to: the gate closed, what requires it skipped, its outputs as they are")
    func cancelled() async throws {
        try await serving(pipelines: [gated(gate)]) { serving in
            let client = try await serving.client()
            async let answer = client.run("deploy", onEvent: onEvent)
            let signal = await waiting.reach(1)[0]
            #expect(try await client.cancel(accepted.values[0], reason: "wrong branch").state == .cancelled)
            let result = try await answer
            #expect(result.state == .cancelled)
            #expect(result.reason == Errors.cancelled("wrong branch"))
            let why = "closed: \(Errors.cancelled("wrong branch"))"
            let closed = ActionOutcome.Result.failed(why)
            #expect(result.actions.map(\.result) == [.completed, closed, .skipped])
            #expect(result.outputs == ["prepared": 42])
            guard case .closed = try await client.complete(signal).verdict else { throw Missing("closed") }
            #expect(try await tasks(serving) == 0)
        }
    }

    @Test("until its action may be tried again keeps its context, the token and the count of attempts")
    func retried() async throws {
        let attempts = Record<String>()
        let work = Stage("work") { context in
            let number = context.attempt
            attempts.add("\(number) \(context.actionToken ?? "") \(context.get("last") as Int? ?? 0)")
            context.set("last", number)
            return number < 3 ? .failed("not yet") : .completed
        }
        let policies: [ActionID: ActionPolicy] = ["work": ActionPolicy(attempts: 3, backoff: .milliseconds(5))]
        let hosted = HostedPipeline("p", pipeline(work), outputs: ["last"], policies: policies)
        try await serving(pipelines: [hosted]) { serving in
            let result = try await serving.client().run("p", onEvent: onEvent)
            let run = accepted.values[0]
            #expect(attempts.values == ["1 \(run)/work 0", "2 \(run)/work 1", "3 \(run)/work 2"])
            #expect(result.outputs == ["last": 3])
            #expect(result.actions.map(\.result) == [.completed])
            #expect(result.actions[0].duration >= .milliseconds(15), "the pauses are part of it")
            #expect(told.values.count { $0 == .started(action: "work") } == 1)
            #expect(
                told.values.contains(.retrying(action: "work", attempt: 3, after: .milliseconds(10), reason: "not yet"))
            )
        }
    }

    @Test("because it is parked goes on where it stopped, with all its attempts anew, when it is redriven")
    func parked() async throws {
        let attempts = Record<Int>()
        let isRepaired = Guarded(false)
        let work = Stage("work", priority: .low) { context in
            attempts.add(context.attempt)
            return isRepaired.withLock { $0 } ? .completed : .failed("no disk")
        }
        let prepare = Stage("prepare", priority: .high) { self.prepare($0) }
        let hosted = HostedPipeline(
            "p",
            pipeline(prepare, work),
            outputs: ["prepared"],
            policies: ["work": ActionPolicy(attempts: 2, backoff: .zero, onFailure: .park)]
        )
        try await serving(pipelines: [hosted]) { serving in
            let client = try await serving.client()
            async let answer = client.run("p", onEvent: onEvent)
            // Begun twice, and between them and behind them what became of it.
            await told.reach(5)
            #expect(told.values.last == .parked(action: "work", reason: "no disk"))
            #expect(try await tasks(serving) == 0)
            try await client.redrive(accepted.values[0])
            await told.reach(8)
            #expect(told.values.last == .parked(action: "work", reason: "no disk"))
            isRepaired.withLock { $0 = true }
            try await client.redrive(accepted.values[0])
            let result = try await answer
            #expect(result.state == .completed)
            #expect(result.outputs == ["prepared": 42])
            #expect(attempts.values == [1, 2, 3, 4, 5], "no number of an attempt repeats")
            #expect(result.actions.map(\.action) == ["prepare", "work"])
        }
    }
}

extension WorkerLoop {
    fileprivate func tasks(on reactor: isolated Reactor) -> Int { hosted.tasks }
}

import ForgeBusClient
import ForgeBusProtocol
import ForgeLocks
import ForgeOrchestrator
import TestSupport
import Testing
import ZeroMQ

@testable import ForgeBusWorker

@Suite("The steps of a run", .timeLimit(.minutes(30)))
struct RunStepTests {
    @Test("wait together for the loop to look, in their order, and say when only the end comes behind them")
    func together() async throws {
        let loop = try await WorkerLoop.unbound()
        let host = RunHost(
            RunStart(run: "run-1", pipeline: "p", values: [:], tellsTransitions: false),
            of: HostedPipeline("p", PipelineOrchestrator()),
            on: loop
        )
        await loop.whileLookingAway {
            host.tell(.eligible(["a", "b"]))
            host.tell(.started("a"))
            let first = host.takeSteps()
            #expect(first.list.map(\.transition) == [.eligible(["a", "b"]), .started("a")])
            #expect(!first.areOver)
            host.tell(.started("b"))
            host.end()
            let last = host.takeSteps()
            #expect(last.list.map(\.transition) == [.started("b")])
            #expect(last.areOver)
        }
        await loop.reactor.shutDown()
    }

    @Test(
        "that were all done before the loop looked are each told to whoever follows, with a store and without",
        arguments: [true, false]
    )
    func followed(isKept: Bool) async throws {
        let letOn = CompletionSignal()
        let host = Guarded<RunHost?>(nil)
        let first = Stage("first", priority: .high) { context in
            host.withLock { $0 = context.runHost }
            await letOn.wait()
            return .completed
        }
        let hosted = HostedPipeline("p", pipeline(first, Stage("second")))
        try await serving(pipelines: [hosted], keepsRecords: isKept) { serving in
            let changes = Record<RunProgress.Change>()
            let client = try await serving.client()
            async let result = client.run("p") { event in
                if case .progress(let progress) = event { changes.add(progress.change) }
            }
            let loop = try await serving.worker.lifecycle.bound().loop
            while host.withLock({ $0 }) == nil { await Task.yield() }
            await loop.whileLookingAway {
                letOn.complete()
                while host.withLock({ $0 })?.isOver != true {}
            }
            #expect(try await result.state == .completed)
            #expect(
                changes.values == [
                    .started(action: "first"), .finished(action: "first", .completed),
                    .started(action: "second"), .finished(action: "second", .completed),
                ]
            )
        }
    }

    @Test(
        "count where an action that failed is tried again and has nothing to do, though nobody follows",
        arguments: [true, false]
    )
    func skipped(isKept: Bool) async throws {
        let attempts = Record<Int>()
        let work = Stage("work") { context in
            attempts.add(context.attempt)
            return context.attempt == 1 ? .failed("not yet") : .skipped
        }
        let policies: [ActionID: ActionPolicy] = ["work": ActionPolicy(attempts: 2, backoff: .milliseconds(1))]
        let hosted = HostedPipeline("p", pipeline(work), policies: policies)
        try await serving(pipelines: [hosted], keepsRecords: isKept) { serving in
            let result = try await serving.client().run("p")
            #expect(result.state == .completed, "\(result.reason)")
            #expect(result.actions.map(\.result) == [.skipped])
        }
        #expect(attempts.values == [1, 2])
    }
}

extension WorkerLoop {
    /// Keeps the loop's thread busy with `work`.
    fileprivate func whileLookingAway(_ work: @Sendable () -> Void) async { await reactor.perform(work) }
}

extension Reactor {
    fileprivate func perform(_ work: @Sendable () -> Void) { work() }
}

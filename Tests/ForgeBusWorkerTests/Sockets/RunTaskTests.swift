import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("The task of a run", .timeLimit(.minutes(30)))
struct RunTaskTests {
    @Test("is followed, whether its run was there when somebody wanted to or not", arguments: [true, false])
    func followed(early: Bool) async throws {
        let loop = try await WorkerLoop.unbound()
        let (context, host) = run(on: loop)
        let task = RunTask()
        if early { task.follow() }
        task.adopt(context)
        #expect(host.hearsTransitions == early)
        task.follow()
        #expect(host.hearsTransitions)
        await loop.reactor.shutDown()
    }

    @Test("begins cancelled if it was cancelled before")
    func cancelled() async throws {
        let task = RunTask()
        task.cancel()
        let isCancelled = await withCheckedContinuation { continuation in
            task.begin {
                continuation.resume(returning: Task.isCancelled)
                return true
            }
        }
        #expect(isCancelled)
    }

    @Test("lets the context go when its run is through, and not when it rests", arguments: [true, false])
    func letGo(isThrough: Bool) async throws {
        let loop = try await WorkerLoop.unbound()
        let (context, _) = run(on: loop)
        let task = RunTask()
        #expect(task.context == nil)
        task.adopt(context)
        let ended = CompletionSignal()
        task.begin {
            defer { ended.complete() }
            return isThrough
        }
        await ended.wait()
        while isThrough, task.context != nil { await Task.yield() }
        #expect((task.context === context) == !isThrough)
        await loop.reactor.shutDown()
    }

    /// A run as the task's thread makes it.
    private func run(on loop: WorkerLoop) -> (PipelineContext, RunHost) {
        let pipeline = HostedPipeline("deploy", PipelineOrchestrator())
        let start = RunStart(run: "run-1", pipeline: "deploy", values: [:], tellsTransitions: false)
        let host = RunHost(start, of: pipeline, on: loop)
        host.begin(start)
        let context = PipelineContext()
        context.attach(host)
        return (context, host)
    }
}

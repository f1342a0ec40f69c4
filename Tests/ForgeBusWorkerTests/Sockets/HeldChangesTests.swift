import ForgeBusClient
import ForgeBusProtocol
import ForgeOrchestrator
import Testing
import ZeroMQ

@testable import ForgeBusWorker

@Suite("What a turn changed for which nobody waits", .timeLimit(.minutes(30)))
struct HeldChangesTests {
    private let store = LastingStore()

    @Test("is committed before anything that a later turn leads to is carried out")
    func order() async throws {
        let letOn = CompletionSignal()
        let work = Stage("work") { _ in
            await letOn.wait()
            return .completed
        }
        try await serving(pipelines: [HostedPipeline("p", pipeline(work))], store: store) { serving in
            let run = try await serving.client().submit("p").run.knownName
            let loop = try await serving.worker.lifecycle.bound().loop
            for number in 1...50 {
                store.hold()
                let report = PipelineReport.test(ActionID("a\(number)")).actions[0]
                await loop.take(.transition(run, .finished(report)), on: loop.reactor)
                let before = await loop.counters(on: loop.reactor)[.answersLost]
                // Of a connection that is not there: what is sent to it is lost at once.
                let ping = Request(.ping([]), id: try RequestID("p\(number)"))
                await loop.take(.received(Received(ping, from: 999_999)), on: loop.reactor)
                let after = await loop.counters(on: loop.reactor)[.answersLost]
                #expect(after == before)
                store.letGo()
                while await loop.counters(on: loop.reactor)[.answersLost] == before {}
            }
            letOn.complete()
        }
    }

    @Test("is committed soon, though nobody ever waits for it")
    func soon() async throws {
        let gate = GateAction("approve", signal: "x.{run.id}")
        let work = Stage("work", priority: .high)
        try await serving(pipelines: [HostedPipeline("p", pipeline(work, gate))], store: store) { serving in
            let run = try await serving.client().submit("p").run
            while try await !store.keepsWaiting(run.knownName) {}
        }
    }
}

extension WorkerLoop {
    fileprivate func take(_ event: Event, on reactor: isolated Reactor) { step(event, reactor) }
}

extension LastingStore {
    fileprivate func keepsWaiting(_ run: Name) async throws -> Bool {
        try await load().contains { record in
            guard case .progress(let progress) = record, progress.run == run else { return false }
            if case .waiting = progress.state { return true }
            return false
        }
    }
}

import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import TestSupport
import Testing

@Suite("A signal of the process", .timeLimit(.minutes(30)))
struct SignalSocketTests {
    @Test("that was announced is completed by a client, and cannot be rejected")
    func announced() async throws {
        try await serving { serving in
            let signal = CompletionSignal()
            try await serving.worker.announce(signal, under: "go")
            let client = try await serving.client()
            #expect(try await code { _ = try await client.reject("go") } == .notRejectable)
            #expect(!signal.isCompleted)
            #expect(try await client.complete("go").verdict == .delivered)
            await signal.wait()
            #expect(try await client.complete("go").verdict == .duplicate)
        }
    }

    @Test("that was completed before it is announced is completed at once")
    func early() async throws {
        try await serving { serving in
            let client = try await serving.client()
            _ = try await client.complete("go")
            let signal = CompletionSignal()
            try await serving.worker.announce(signal, under: "go")
            #expect(signal.isCompleted)
        }
    }

    @Test("that was announced to an earlier worker is completed meanwhile, or once it is announced again")
    func announcedAgain() async throws {
        let store = LastingStore()
        try await serving(store: store) { serving in
            for id in ["early", "late"] as [SignalID] {
                try await serving.worker.announce(CompletionSignal(), under: id)
            }
        }
        try await serving(store: store) { serving in
            let client = try await serving.client()
            #expect(try await client.complete("early").verdict == .delivered)
            let (early, late) = (CompletionSignal(), CompletionSignal())
            try await serving.worker.announce(early, under: "early")
            #expect(early.isCompleted)
            try await serving.worker.announce(late, under: "late")
            #expect(!late.isCompleted)
            #expect(try await client.complete("late").verdict == .delivered)
            await late.wait()
        }
    }

    @Test("has its id for itself")
    func taken() async throws {
        try await serving { serving in
            try await serving.worker.announce(CompletionSignal(), under: "go")
            let second = try await code { try await serving.worker.announce(CompletionSignal(), under: "go") }
            #expect(second == .idTaken)
        }
    }

    @Test("that is a gate returns its decision, also to whoever asks again")
    func gate() async throws {
        try await serving { serving in
            async let decision = serving.worker.gate("ops.go", owner: "ops")
            let client = try await serving.client()
            while try await client.list(.signals).items.isEmpty {}
            #expect(try await client.reject("ops.go", reason: "no").verdict == .delivered)
            #expect(try await decision == .rejected(reason: "no"))
            #expect(try await serving.worker.gate("ops.go", owner: "ops") == .rejected(reason: "no"))
            #expect(try await code { _ = try await serving.worker.gate("ops.go", owner: "others") } == .idTaken)
        }
    }

    @Test("that is a gate with a deadline expires")
    func expired() async throws {
        try await serving { serving in
            let decision = try await serving.worker.gate("ops.go", owner: "ops", deadline: .milliseconds(5))
            #expect(decision == .expired)
        }
    }

    @Test("that is a gate opened twice at once leaves nobody waiting for ever")
    func twice() async throws {
        try await serving { serving in
            async let first = serving.worker.gate("ops.go", owner: "ops")
            async let second = serving.worker.gate("ops.go", owner: "ops")
            let client = try await serving.client()
            while try await client.list(.signals).items.isEmpty {}
            // One of them may come after the decision; it gets what stands.
            _ = try await client.complete("ops.go", value: 7)
            let decisions = [try await first, try await second]
            #expect(decisions.contains(.approved(7)))
            for decision in decisions where decision != .approved(7) {
                guard case .closed = decision else { throw Missing("closed") }
            }
        }
    }

    @Test("whose waiting task is cancelled, even before it waits, is closed")
    func cancelled() async throws {
        try await serving { serving in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await serving.worker.gate("ops.go", owner: "ops")
            }
            guard case .closed = try await task.value else { throw Missing("closed") }
        }
    }

    @Test("inside an action is waited for with its value")
    func signal() async throws {
        let waiting = Record<SignalID>()
        let stage = Stage("wait") { context in
            guard let value = try? await context.signal("answer") else { return .failed("no answer") }
            context.set("value", value)
            return .completed
        }
        try await serving(pipelines: [HostedPipeline("p", pipeline(stage), outputs: ["value"])]) { serving in
            let client = try await serving.client()
            async let result = client.run("p") { event in
                if case .progress(let progress) = event, case .waiting(_, let signal) = progress.change {
                    waiting.add(signal)
                }
            }
            await waiting.reach(1)
            #expect(try await code { _ = try await client.reject("answer") } == .notRejectable)
            #expect(try await client.complete("answer", value: [1, 2]).verdict == .delivered)
            #expect(try await result.outputs == ["value": [1, 2]])
        }
    }
}

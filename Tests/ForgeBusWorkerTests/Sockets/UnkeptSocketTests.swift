import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import TestSupport
import Testing

@Suite("A worker without a store")
struct UnkeptSocketTests {
    private let stop = Turnstile()

    private var pipelines: [HostedPipeline] {
        let actions = pipeline(
            Stage("work") { [stop] _ in
                await stop.pass()
                return .completed
            },
            Stage("more")
        )
        return [HostedPipeline("p", actions)]
    }

    @Test("tells how a run goes on to whoever asks while it executes, though nobody had asked before")
    func lateProgress() async throws {
        try await serving(pipelines: pipelines, keepsRecords: false) { serving in
            let client = try await serving.client()
            let run = try await client.submit("p").run
            await stop.reach(1)
            let told = Record<String>()
            // Asked at once: what is sent behind it on the same connection is answered behind it.
            let end = Task.immediate {
                try await client.attach(run) { told.add("\($0.change.word) \($0.change.action)") }
            }
            _ = try await client.ping()
            stop.open()
            guard case .ended(let result) = try await end.value else { throw Missing("a result") }
            #expect(result.state == .completed)
            #expect(result.actions.map(\.action) == ["work", "more"])
            #expect(told.values == ["finished work", "started more", "finished more"])
        }
    }

    @Test("runs, waits and decides as any other")
    func decides() async throws {
        let gated = [HostedPipeline("p", pipeline(GateAction("approve", signal: "s"), Stage("more")))]
        try await serving(pipelines: gated, keepsRecords: false) { serving in
            let client = try await serving.client()
            let run = try await client.submit("p", id: RequestID("a")).run
            while try await client.complete("s", keeping: .zero).verdict != .delivered {}
            guard case .ended(let result) = try await client.attach(run) else { throw Missing("a result") }
            #expect(result.state == .completed)
            #expect(try await client.run("p", id: RequestID("a")).run == run)
            let known = try await client.show(.run, run.text)
            #expect(known["state"] == "completed")
        }
    }
}

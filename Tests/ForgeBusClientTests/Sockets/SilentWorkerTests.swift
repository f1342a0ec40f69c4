import ForgeBusClient
import ForgeBusProtocol
import Scorecard
import Testing
import ZeroMQ

@Suite("A client whose worker falls silent", .scorecard(9), .timeLimit(.minutes(30)))
struct SilentWorkerTests {
    @Test("gives up a run that was taken, and says that its outcome is unknown")
    func run() async throws {
        try await withSilentWorker { client in
            let error = await #expect(throws: BusError.self) { try await client.run("feed") }
            #expect(error?.code == .timeout, "\(String(describing: error))")
        }
    }

    @Test("gives up an evaluation that was promised")
    func evaluation() async throws {
        try await withSilentWorker { client in
            let error = await #expect(throws: BusError.self) { try await client.notifyAndWait("stock.apples") }
            #expect(error?.code == .timeout, "\(String(describing: error))")
        }
    }

    /// A worker that takes a request and never says another word.
    private func withSilentWorker(_ body: (BusClient) async throws -> Void) async throws {
        let place = try Place()
        let worker = try await ScriptedWorker(at: place.endpoint, answersPings: false) { _, _ in [.begun()] }
        try await client(of: place, patience: .milliseconds(300)) { client async throws in
            // Only a request that was sent has an unknown outcome.
            for await state in client.connection { if case .connected = state { break } }
            try await body(client)
        }
        await worker.die()
    }
}

import ForgeBusProtocol
import Logging
import TestSupport
import Testing
import ZeroMQ

@testable import ForgeBusClient

@Suite("A client whose key is refused", .timeLimit(.minutes(30)))
struct RefusedKeyTests {
    private let server = KeyPair()
    private let own = KeyPair()

    private func client(
        _ endpoint: Endpoint,
        orAt others: [Endpoint] = [],
        _ body: (BusClient) async throws -> Void
    ) async throws {
        try await withBusClient(
            endpoint,
            orAt: others,
            as: CurveClient(keys: own, server: server.publicKey),
            patience: .seconds(300),
            resendsAfter: nil,
            logger: .silent,
            body
        )
    }

    @Test("says of what was sent before that its outcome is unknown, and of all else that it may not")
    func shutOut() async throws {
        let place = try Place()
        let worker = try await ScriptedWorker(
            at: place.endpoint,
            as: server,
            allowing: [own.publicKey],
            answersPings: false
        )
        try await client(place.endpoint) { client async throws in
            let id = try RequestID("mine")
            let sent = Task {
                await #expect(throws: BusError.self) { try await client.run("p", id: id) }
            }
            let asked = Task { try await code { _ = try await client.list(.runs) } }
            await worker.requests.reach(2)
            await worker.die()
            let strict = try await ScriptedWorker(at: place.endpoint, as: server)
            let error = await sent.value
            #expect(error?.code == .timeout)
            #expect(error?.message == Errors.shutOut(id, own.publicKey).message)
            #expect(error?.details["request"] == "mine")
            #expect(try await asked.value == .forbidden)
            #expect(try await code { _ = try await client.run("p") } == .forbidden)
            await strict.die()
        }
    }

    @Test("at one endpoint goes to the next, and ends what waits when all have refused it")
    func several() async throws {
        let (first, second) = (try Place(), try Place())
        let strict = try await ScriptedWorker(at: first.endpoint, as: server, store: "a")
        let worker = try await ScriptedWorker(
            at: second.endpoint,
            as: server,
            allowing: [own.publicKey],
            store: "a"
        ) { _, _ in [.taken] }
        try await client(first.endpoint, orAt: [second.endpoint]) { client async throws in
            try await client.notify("t")
            await worker.die()
            // What is sent on the dying connection may have been taken.
            for await state in client.connection {
                if case .connected = state { continue }
                break
            }
            let other = try await ScriptedWorker(at: second.endpoint, as: server, store: "a")
            #expect(try await code { try await client.notify("t") } == .forbidden)
            await other.die()
        }
        await strict.die()
    }

    @Test("logs a handshake that fails again and again once for each endpoint and cause")
    func logged() async throws {
        let (first, second) = (try Place(), try Place())
        let workers = [
            try await ScriptedWorker(at: first.endpoint, as: server),
            try await ScriptedWorker(at: second.endpoint, as: server),
        ]
        let logged = Record<String>()
        let client = BusClient(
            first.endpoint,
            orAt: [second.endpoint],
            as: CurveClient(keys: own, server: KeyPair().publicKey),
            logger: logged.logger { event in
                guard event.message == Errors.handshakeFailed else { return nil }
                return "\(event.metadata?["endpoint"] ?? "") \(event.metadata?["reason"] ?? "")"
            }
        )
        var failures = 0
        for await state in client.connection {
            if case .lost = state { failures += 1 }
            if failures == 12 { break }
        }
        await client.close()
        let lines = logged.values
        // There is more than one cause: the connection may break before the client reads the error.
        #expect(!lines.isEmpty && Set(lines).count == lines.count, "\(lines)")
        for worker in workers { await worker.die() }
    }
}

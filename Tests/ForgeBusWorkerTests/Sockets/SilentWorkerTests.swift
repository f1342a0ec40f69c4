import ForgeBusClient
import ForgeBusProtocol
import Testing
import ZeroMQ

@Suite("A client whose worker falls silent", .timeLimit(.minutes(1)))
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
        let reactor = try Reactor(label: "silent")
        let router = try await reactor.open(Router.self, options: .router)
        await reactor.receive(router) { reactor, peer, message in
            guard let id = try? RequestID(bytes: message[1]), !message[0].elementsEqual("FORGE/1 PING".utf8) else {
                return
            }
            let acceptance = Acceptance.run("run-1", durability: .memory, retention: .seconds(60))
            let frames = Answer(to: id, .accepted(acceptance)).frames
            reactor.send(Message(frames.all.map { Array($0) }), on: router, to: peer)
        }
        let endpoint = try await reactor.bind(router, to: try LocalEndpoint("tcp://127.0.0.1:*"))
        let client = try await BusClient(endpoint, patience: .milliseconds(300))
        try await body(client)
        await client.close()
        await reactor.shutDown(flushing: .zero)
    }
}

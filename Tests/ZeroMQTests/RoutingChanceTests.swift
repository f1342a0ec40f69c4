import TestSupport
import Testing

@testable import ZeroMQ

@Suite("The names that a ROUTER gives to connections", .timeLimit(.minutes(30)))
struct RoutingChanceTests {
    @Test("begin where nobody outside knows, and not where an unseeded rand() does")
    func begin() async {
        // In a process of its own: another test may have drawn the first number.
        await #expect(processExitsWith: .success) {
            let name = try await firstName()
            #expect(name.count == 5)
            #expect(name != [0x00, 0x6B, 0x8B, 0x45, 0x67], "rand() begins so when nothing seeds it")
        }
    }
}

/// What the first ROUTER of the process calls its first connection.
private func firstName() async throws -> [UInt8] {
    ServerProcess.prepare()
    return try await withReactor { reactor in
        let router = try await reactor.open(Router.self)
        let peers = Record<PeerID>()
        await reactor.receive(router) { message in if let peer = message.peer { peers.add(peer) } }
        let endpoint = try await reactor.bind(router, to: LocalEndpoint("inproc://first"))
        let dealer = try await reactor.dial(endpoint)
        await reactor.send(Message(number: 0), on: dealer)
        return await peers.reach(1)[0].withUnsafeBytes { Array($0) }
    }
}

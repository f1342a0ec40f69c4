import TestSupport
import Testing
import ZeroMQ

/// In processes of their own: there nobody starts a process that would hold a copy of a listener for a moment.
@Suite("An endpoint that was given up", .timeLimit(.minutes(30)))
struct ListenerReleaseTests {
    @Test("is free when the call returns, 200 times in a row over tcp")
    func tcp() async {
        await #expect(processExitsWith: .success) { try await giveUpAgainAndAgain(.tcp) }
    }

    @Test("is free when the call returns, 200 times in a row over ipc")
    func ipc() async {
        await #expect(processExitsWith: .success) { try await giveUpAgainAndAgain(.ipc) }
    }
}

private func giveUpAgainAndAgain(_ transport: Transport) async throws {
    let directory = try TemporaryDirectory()
    try await withReactor { reactor in
        let other = try await reactor.open(Router.self)
        var endpoint = try transport.endpoint(in: directory)
        for _ in 0..<200 {
            let router = try await reactor.open(Router.self)
            endpoint = try await reactor.bind(router, to: LocalEndpoint(endpoint))
            await reactor.close(router)
            try await reactor.bind(other, to: LocalEndpoint(endpoint))
            try await reactor.unbind(other, from: endpoint)
        }
    }
}

import Testing
import ZeroMQ

@Suite("Heartbeats, with pyzmq at the other end,", .needsPython, .serialized, .timeLimit(.minutes(30)))
struct HeartbeatInteroperationTests {
    /// pyzmq's side; as ours, patient enough for a busy machine.
    private let theirs = ["--heartbeat-interval=100", "--heartbeat-timeout=10000"]

    @Test("let a ROUTER notice who has stopped, and keep who is only silent")
    func router() async throws {
        try await withReactor { reactor in
            let router = try await reactor.open(Router.self, options: lively(SocketOptions(for: Router.self)))
            let events = try await reactor.events(of: router)
            var messages = router.messages.makeAsyncIterator()
            let endpoint = try await reactor.bind(router, to: LocalEndpoint("tcp://127.0.0.1:*"))
            try await withPython("DEALER", .connecting(endpoint), theirs) { silent in
                try await silent.send(Message("hello"))
                let peer = try #require(await messages.next()).peer
                try await withPython("DEALER", .connecting(endpoint)) { stopped in
                    try await stopped.send(Message("hello, too"))
                    _ = await messages.next()
                    stopped.freeze()
                    // Nothing else would tell: its kernel goes on answering for it.
                    #expect(await events.contains(.disconnected(endpoint: endpoint.text)))
                }
                // The other one was silent for as long, and its connection is the same.
                try await silent.send(Message("still here"))
                let last = await messages.next()
                #expect(last == Message("still here") && last?.peer == peer)
            }
        }
    }

    @Test("let a DEALER notice a ROUTER that has stopped, and find it again when it goes on")
    func dealer() async throws {
        try await withReactor { reactor in
            try await withPython("ROUTER", .binding(Endpoint("tcp://127.0.0.1:*"))) { python in
                let dealer = try await reactor.open(Dealer.self, options: lively(SocketOptions(for: Dealer.self)))
                let events = try await reactor.events(of: dealer)
                try await reactor.connect(dealer, to: python.endpoint)
                #expect(await events.contains(.handshakeSucceeded(endpoint: python.endpoint.text)))
                python.freeze()
                #expect(await events.contains(.disconnected(endpoint: python.endpoint.text)))
                python.thaw()
                #expect(await events.contains(.handshakeSucceeded(endpoint: python.endpoint.text)))
                await reactor.send(Message("here again"), on: dealer)
                #expect(try await python.receive().dropFirst() == Message("here again"))
            }
        }
    }

    @Test("of a pyzmq ROUTER are answered by a DEALER that has none itself, however silent")
    func answers() async throws {
        try await withReactor { reactor in
            try await withPython("ROUTER", .binding(Endpoint("tcp://127.0.0.1:*")), theirs) { python in
                let dealer = try await reactor.dial(python.endpoint)
                await reactor.send(Message("hello"), on: dealer)
                let first = try await python.receive()
                try await withPython("DEALER", .connecting(python.endpoint)) { stopped in
                    try await stopped.send(Message("hello, too"))
                    _ = try await python.receive()
                    stopped.freeze()
                    // What tells that the time is over after which ours would have been given up, too.
                    _ = try await python.event("DISCONNECTED")
                }
                await reactor.send(Message("hello"), on: dealer)
                #expect(try await python.receive() == first, "It comes from the same connection.")
            }
        }
    }

    /// Options that notice a peer that has stopped within seconds.
    private func lively(_ options: SocketOptions) -> SocketOptions {
        var options = options
        options.heartbeats = Heartbeats(interval: .milliseconds(100), timeout: .seconds(10))
        options.reconnectInterval = .milliseconds(50)
        return options
    }
}

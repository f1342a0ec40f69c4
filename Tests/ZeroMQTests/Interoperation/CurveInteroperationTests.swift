import TestSupport
import Testing
import ZeroMQ

@Suite("CURVE, with pyzmq at the other end,", .needsPython, .serialized, .timeLimit(.minutes(30)))
struct CurveInteroperationTests {
    private let server = KeyPair()
    private let known = KeyPair()
    private let stranger = KeyPair()

    @Test("lets an allowed key talk to our server, and its messages carry the key")
    func allowedAtOurs() async throws {
        try await withReactor { reactor in
            let router = try await reactor.open(Router.self)
            let events = try await reactor.events(of: router)
            var messages = router.messages.makeAsyncIterator()
            let endpoint = try await bind(router, of: reactor, allowing: AllowedKeys([known.publicKey]))
            try await withPython("DEALER", .connecting(endpoint), client(known)) { python in
                try await exchange(python) {
                    let received = try #require(await messages.next())
                    #expect(received.senderKey == known.publicKey)
                    #expect(await reactor.reply(received, to: received, on: router) == .sent)
                    return received
                }
                #expect(await events.contains(.handshakeSucceeded(endpoint: endpoint.text)))
            }
        }
    }

    @Test("keeps a stranger from our server, and both sides say so, until its key is allowed")
    func refusedByOurs() async throws {
        try await withReactor { reactor in
            let allowed = AllowedKeys([known.publicKey])
            let router = try await reactor.open(Router.self)
            let events = try await reactor.events(of: router)
            var messages = router.messages.makeAsyncIterator()
            let endpoint = try await bind(router, of: reactor, allowing: allowed)
            try await withPython("DEALER", .connecting(endpoint), client(stranger)) { python in
                // Taken or not, by whether it is refused yet, it must not arrive.
                try await python.offer(Message("let me in"))
                #expect(await events.contains(.handshakeFailed(endpoint: endpoint.text, .refused(status: 400))))
                #expect(try await python.event("HANDSHAKE_FAILED_AUTH") == 400)
            }
            allowed.insert(stranger.publicKey)
            // Whoever was refused is not heard later, either.
            for keys in [known, stranger] {
                try await withPython("DEALER", .connecting(endpoint), client(keys)) { python in
                    try await python.send(Message("hello"))
                    let received = try #require(await messages.next())
                    #expect(received == Message("hello") && received.senderKey == keys.publicKey)
                }
            }
        }
    }

    @Test("lets our client talk to a server that allows its key")
    func allowedByTheirs() async throws {
        let directory = try TemporaryDirectory()
        try await withReactor { reactor in
            try await withPython("DEALER", .binding(Endpoint("tcp://127.0.0.1:*")), server(in: directory)) { python in
                let dealer = try await reactor.open(Dealer.self)
                let events = try await reactor.events(of: dealer)
                var messages = dealer.messages.makeAsyncIterator()
                let client = CurveClient(keys: known, server: server.publicKey)
                try await reactor.connect(dealer, to: python.endpoint, as: client)
                #expect(await events.contains(.handshakeSucceeded(endpoint: python.endpoint.text)))
                try await exchange(python) {
                    let received = try #require(await messages.next())
                    #expect(await reactor.send(received, on: dealer) == .sent)
                    return received
                }
            }
        }
    }

    @Test("tells our client that a server refuses its key")
    func refusedByTheirs() async throws {
        let directory = try TemporaryDirectory()
        try await withReactor { reactor in
            try await withPython("DEALER", .binding(Endpoint("tcp://127.0.0.1:*")), server(in: directory)) { python in
                let refused = try await reactor.open(Dealer.self)
                let events = try await reactor.events(of: refused)
                let unwelcome = CurveClient(keys: stranger, server: server.publicKey)
                try await reactor.connect(refused, to: python.endpoint, as: unwelcome)
                // Taken or not, by whether it is refused yet, it must not arrive.
                await reactor.send(Message("let me in"), on: refused)
                let refusal = HandshakeFailure.refused(status: 400)
                #expect(await events.contains(.handshakeFailed(endpoint: python.endpoint.text, refusal)))

                let allowed = try await reactor.open(Dealer.self)
                let welcome = CurveClient(keys: known, server: server.publicKey)
                try await reactor.connect(allowed, to: python.endpoint, as: welcome)
                #expect(await reactor.send(Message("hello"), on: allowed) == .sent)
                #expect(try await python.receive() == Message("hello"))
            }
        }
    }
}

extension CurveInteroperationTests {
    private func bind(
        _ router: Socket<Router>,
        of reactor: Reactor,
        allowing allowed: AllowedKeys
    ) async throws -> Endpoint {
        let curve = CurveServer(keys: server, authenticator: try await reactor.authenticate(allowed))
        return try await reactor.bind(router, to: Endpoint("tcp://127.0.0.1:*"), as: curve)
    }

    /// What makes a peer a client of the server.
    private func client(_ keys: KeyPair) -> [String] {
        ["--curve-secret=\(keys.secretKey.text)", "--curve-server-key=\(server.publicKey)"]
    }

    /// What makes a peer the server, with a certificate of ours for the one whom it allows.
    private func server(in directory: TemporaryDirectory) throws -> [String] {
        try Certificate(known.publicKey, metadata: ["name": "known"]).write(to: "\(directory.path)/known")
        return ["--curve-secret=\(server.secretKey.text)", "--curve-clients=\(directory.path)"]
    }

    /// Lets messages go there and back.
    private func exchange(_ python: PythonPeer, _ echo: () async throws -> Message) async throws {
        for message in Message.ofEveryShape {
            try await python.send(message)
            #expect(try await echo() == message)
            #expect(try await python.receive() == message)
        }
    }
}

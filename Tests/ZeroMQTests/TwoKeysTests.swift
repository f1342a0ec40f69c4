import Scorecard
import TestSupport
import Testing

@testable import ZeroMQ

/// How long a handshake may take on a machine that is busy with other tests.
private let patience = Duration.seconds(60)

@Suite("A socket with two CURVE keys", .scorecard(15), .timeLimit(.minutes(30)))
struct TwoKeysTests {
    private let old = KeyPair()
    private let new = KeyPair()
    private let client = KeyPair()

    /// Runs a server whose socket has an endpoint with each key; the authenticator notes which key a peer knows.
    private func withServer(
        _ body: (Reactor, Socket<Router>, _ old: Endpoint, _ new: Endpoint, Record<PublicKey>) async throws -> Void
    ) async throws {
        try await withReactor("server") { reactor in
            let known = Record<PublicKey>()
            let authenticator = try await reactor.authenticate(deciding: { request in
                known.add(request.server)
                return request.key == client.publicKey ? .allowed : .refused
            })
            var options = SocketOptions(for: Router.self)
            options.handshakeInterval = patience
            let router = try await reactor.open(Router.self, options: options)
            await reactor.echo(router)
            var bound: [Endpoint] = []
            for keys in [old, new] {
                let server = CurveServer(keys: keys, authenticator: authenticator)
                let endpoint = try Endpoint("tcp://\(Transport.ownAddress):*")
                bound.append(try await reactor.bind(router, to: endpoint, as: server))
            }
            try await body(reactor, router, bound[0], bound[1], known)
        }
    }

    /// Whether a client that expects this key at the endpoint gets an answer.
    private func isAnswered(at endpoint: Endpoint, expecting server: KeyPair, as keys: KeyPair) async throws -> Bool {
        try await withReactor("client") { reactor in
            try await reactor.isAnswered(at: endpoint, as: CurveClient(keys: keys, server: server.publicKey))
        }
    }

    @Test("answers at each endpoint a peer that knows its key, by the same rule, which learns the key")
    func both() async throws {
        try await withServer { _, _, first, second, known in
            for (endpoint, key, other) in [(first, old, new), (second, new, old)] {
                let answered = try await isAnswered(at: endpoint, expecting: key, as: client)
                let confused = try await isAnswered(at: endpoint, expecting: other, as: client)
                let strange = try await isAnswered(at: endpoint, expecting: key, as: KeyPair())
                #expect(answered && !confused && !strange)
            }
            // Those that expect another key do not come as far as the rule.
            #expect(known.values == [old, old, new, new].map(\.publicKey))
        }
    }

    @Test("keeps the key of an endpoint that is bound again")
    func rebound() async throws {
        try await withServer { reactor, router, first, second, _ in
            try await reactor.bindAgain(router)
            let answered = try await [
                isAnswered(at: first, expecting: old, as: client), isAnswered(at: second, expecting: new, as: client),
            ]
            #expect(answered == [true, true])
        }
    }
}

extension Reactor {
    /// Closes the listeners of a socket and opens them again, as it does when it cannot accept.
    fileprivate func bindAgain(_ router: Socket<Router>) throws {
        let socket = try find(router)
        release(socket.boundEndpoints, of: socket)
        for listener in socket.listeners { try #require(listen(socket, listener)) }
    }

    /// Sends one message; false if the handshake fails.
    fileprivate func isAnswered(at endpoint: Endpoint, as client: CurveClient) async throws -> Bool {
        var options = SocketOptions(for: Dealer.self)
        options.handshakeInterval = patience
        let dealer = try open(Dealer.self, options: options)
        defer { close(dealer) }
        let events = try events(of: dealer)
        let answers = Record<Int>()
        receive(dealer) { message in answers.add(message.number) }
        try connect(dealer, to: endpoint, as: client)
        for await event in events {
            switch event.name {
            case .handshakeSucceeded:
                send(Message(number: 7), on: dealer)
                return await answers.reach(1) == [7]
            case .handshakeFailed, .disconnected: return false
            case _: continue
            }
        }
        return false
    }
}

import Scorecard
import TestSupport
import Testing

@testable import ZeroMQ

@Suite("A CURVE server", .scorecard(15), .timeLimit(.minutes(30)))
struct CurveTests {
    private let server = KeyPair()
    private let client = KeyPair()

    /// Runs an encrypted echo that notes the keys it hears from.
    private func withServer(
        allowing allowed: AllowedKeys,
        _ body: (_ reactor: Reactor, _ endpoint: Endpoint, _ heard: Record<PublicKey?>) async throws -> Void
    ) async throws {
        try await withReactor("server") { reactor in
            let heard = Record<PublicKey?>()
            let endpoint = try await reactor.startEncryptedEcho(server, allowed, heard)
            try await body(reactor, endpoint, heard)
        }
    }

    @Test("talks to a key that is allowed, and every message says whose it is")
    func allowed() async throws {
        try await withServer(allowing: AllowedKeys([client.publicKey])) { _, endpoint, heard in
            try await withReactor("client") { reactor in
                let identity = CurveClient(keys: client, server: server.publicKey)
                // Many, because the routing id's frame carries the key only now and then.
                try await reactor.run(EchoClient(count: 2_000, window: 64), against: endpoint, as: identity)
            }
            #expect(heard.values == Array(repeating: client.publicKey, count: 2_000))
        }
    }

    @Test("is closed to an unknown key, who is told so, and hears nothing of it")
    func unknownKey() async throws {
        try await withServer(allowing: AllowedKeys([client.publicKey])) { _, endpoint, heard in
            try await withReactor("client") { reactor in
                let stranger = CurveClient(keys: KeyPair(), server: server.publicKey)
                let failure = try await reactor.firstHandshake(with: endpoint, as: stranger)
                #expect(failure == .refused(status: 400))
            }
            #expect(heard.values.isEmpty)
        }
    }

    @Test("lets in later whom it lets wait, who tries again without being told to")
    func postponed() async throws {
        try await withReactor("server") { reactor in
            let asked = Record<String>()
            let authenticator = try await reactor.authenticate(deciding: { request in
                asked.add(request.address)
                return asked.values.count > 2 ? .allowed : .postponed
            })
            var options = SocketOptions(for: Router.self)
            options.handshakeInterval = .seconds(1)
            let router = try await reactor.open(Router.self, options: options)
            await reactor.echo(router)
            let curve = CurveServer(keys: server, authenticator: authenticator)
            let endpoint = try await reactor.bind(router, to: Endpoint("tcp://127.0.0.1:*"), as: curve)
            try await withReactor("client") { other in
                var options = SocketOptions(for: Dealer.self)
                options.reconnectInterval = .milliseconds(10)
                let dealer = try await other.open(Dealer.self, options: options)
                let answers = dealer.messages
                let identity = CurveClient(keys: client, server: self.server.publicKey)
                try await other.connect(dealer, to: endpoint, as: identity)
                #expect(await other.ask(7, on: dealer, answers) == 7)
            }
            #expect(asked.values.allSatisfy { $0 == "127.0.0.1" } && asked.values.count >= 3)
        }
    }

    @Test("is closed to whoever expects another server, or no encryption")
    func wrongServerKey() async throws {
        try await withServer(allowing: AllowedKeys([client.publicKey])) { _, endpoint, heard in
            try await withReactor("client") { reactor in
                let misled = CurveClient(keys: client, server: KeyPair().publicKey)
                for identity in [misled, nil] {
                    let failure = try await reactor.firstHandshake(with: endpoint, as: identity)
                    #expect(failure != nil)
                }
            }
            #expect(heard.values.isEmpty)
        }
    }

    @Test("is closed to everybody when nobody answers for the authenticator")
    func failsClosed() async throws {
        try await withReactor("server") { reactor in
            let authenticator = try await reactor.authenticate(AllowedKeys([client.publicKey]))
            let router = try await reactor.open(Router.self)
            let heard = Record<PeerID>()
            await reactor.receive(router) { message in if let peer = message.peer { heard.add(peer) } }
            let endpoint = try await reactor.bind(
                router,
                to: Endpoint("tcp://127.0.0.1:*"),
                as: CurveServer(keys: server, authenticator: authenticator)
            )
            await reactor.close(authenticator.socket)
            try await withReactor("client") { other in
                let identity = CurveClient(keys: client, server: server.publicKey)
                let failure = try await other.firstHandshake(with: endpoint, as: identity)
                #expect(failure != nil)
            }
            #expect(heard.values.isEmpty)
        }
    }

    @Test("follows its policy: a new key gets in, a removed one is known on the connection that is up")
    func livePolicy() async throws {
        let allowed = AllowedKeys()
        try await withServer(allowing: allowed) { _, endpoint, _ in
            try await withReactor("client") { reactor in
                let identity = CurveClient(keys: client, server: server.publicKey)
                #expect(try await reactor.firstHandshake(with: endpoint, as: identity) == .refused(status: 400))
                allowed.insert(client.publicKey)
                let dealer = try await reactor.open(Dealer.self)
                let answers = dealer.messages
                try await reactor.connect(dealer, to: endpoint, as: identity)
                #expect(await reactor.ask(1, on: dealer, answers) == 1)
                // The connection stays, so each message is looked at: the echo below asks the policy again.
                allowed.remove(client.publicKey)
                #expect(await reactor.ask(2, on: dealer, answers) == -2)
                allowed.replace(with: [client.publicKey])
                #expect(await reactor.ask(3, on: dealer, answers) == 3)
            }
        }
    }

    @Test("proves at start that strangers are refused, and says so when they are not")
    func selfTest() async throws {
        try await withServer(allowing: AllowedKeys([client.publicKey])) { reactor, endpoint, _ in
            try await reactor.verifyThatStrangersAreRefused(
                at: endpoint,
                server: server.publicKey,
                within: .seconds(60)
            )
        }
        try await withReactor("open door") { reactor in
            let authenticator = try await reactor.authenticate { _ in true }
            let router = try await reactor.open(Router.self)
            let endpoint = try await reactor.bind(
                router,
                to: Endpoint("tcp://127.0.0.1:*"),
                as: CurveServer(keys: server, authenticator: authenticator)
            )
            let error = await #expect(throws: ZeroMQError.self) {
                try await reactor.verifyThatStrangersAreRefused(
                    at: endpoint,
                    server: server.publicKey,
                    within: .seconds(60)
                )
            }
            #expect(error?.code == .insecure)
        }
    }

    @Test("has one authenticator, of its own reactor")
    func oneAuthenticator() async throws {
        try await withReactor("first") { first in
            let authenticator = try await first.authenticate(AllowedKeys())
            let error = await #expect(throws: ZeroMQError.self) { try await first.authenticate(AllowedKeys()) }
            #expect(error?.code == .addressInUse)
            try await withReactor("second") { second in
                let router = try await second.open(Router.self)
                let foreign = await #expect(throws: ZeroMQError.self) {
                    try await second.bind(
                        router,
                        to: Endpoint("tcp://127.0.0.1:*"),
                        as: CurveServer(keys: server, authenticator: authenticator)
                    )
                }
                #expect(foreign?.code == .insecure)
            }
        }
    }

    @Test("speaks nothing else on the same socket")
    func oneMechanism() async throws {
        try await withReactor { reactor in
            let authenticator = try await reactor.authenticate(AllowedKeys())
            let router = try await reactor.open(Router.self)
            let curve = CurveServer(keys: server, authenticator: authenticator)
            try await reactor.bind(router, to: Endpoint("tcp://127.0.0.1:*"), as: curve)
            let error = await #expect(throws: ZeroMQError.self) {
                try await reactor.bind(router, to: LocalEndpoint("inproc://plain"))
            }
            #expect(error?.code == .invalidOption)
        }
    }

    @Test(
        "is the only thing that binds where others can reach it",
        arguments: [
            "tcp://*:5555", "tcp://0.0.0.0:5555", "tcp://192.0.2.1:5555", "tcp://localhost:5555", "tcp://[::]:1",
        ]
    )
    func localOnly(_ text: String) {
        let error = #expect(throws: ZeroMQError.self) { try LocalEndpoint(text) }
        #expect(error?.code == .insecure)
        #expect(error?.next.contains("CurveServer") == true)
    }

    @Test("does not see keys that nobody has proved")
    func plainMessagesHaveNoKey() async throws {
        try await withReactor { reactor in
            let router = try await reactor.open(Router.self)
            let endpoint = try await reactor.bind(router, to: LocalEndpoint("tcp://127.0.0.1:*"))
            let keys = Record<PublicKey?>()
            await reactor.receive(router) { message in keys.add(message.senderKey) }
            let dealer = try await reactor.dial(endpoint)
            await reactor.send(Message(number: 1), on: dealer)
            #expect(await keys.reach(1) == [nil])
        }
    }
}

@Suite("An answer to libzmq's question about a key")
struct ZAPRequestTests {
    private let key = KeyPair().publicKey

    private func request(version: String = "1.0", mechanism: String = "CURVE", credentials: [[UInt8]]) -> Message {
        Message(
            [[], Array(version.utf8), [1, 2], Array("global".utf8), Array("127.0.0.1".utf8), []].map { $0 }
                + [Array(mechanism.utf8)] + credentials
        )
    }

    @Test("has exactly seven frames, and the key as the user")
    func frames() throws {
        let request = try #require(ZAPRequest(request(credentials: [key.bytes])))
        #expect(request.key == key && request.domain == "global" && request.address == "127.0.0.1")
        let yes = request.reply(.allowed)
        let expected = ["", "1.0", "\u{1}\u{2}", "200", "OK", key.description, ""]
        #expect((0..<yes.count).map { String(decoding: yes[$0], as: UTF8.self) } == expected)
        for (admission, status) in [(Admission.refused, "400"), (.postponed, "300")] {
            let no = request.reply(admission)
            #expect(no.count == 7 && no[3].elementsEqual(status.utf8) && no[5].isEmpty)
        }
    }

    @Test("knows no key where there is none")
    func otherMechanisms() throws {
        #expect(try #require(ZAPRequest(request(mechanism: "NULL", credentials: []))).key == nil)
        #expect(try #require(ZAPRequest(request(mechanism: "PLAIN", credentials: [[1], [2]]))).key == nil)
        #expect(try #require(ZAPRequest(request(credentials: [[1, 2, 3]]))).key == nil)
        #expect(ZAPRequest(request(version: "2.0", credentials: [key.bytes])) == nil)
        #expect(ZAPRequest(Message([[1]])) == nil)
    }
}

extension Reactor {
    /// Opens a ROUTER that sends numbers back, with a minus before them when their key is not allowed any more.
    fileprivate func startEncryptedEcho(
        _ keys: KeyPair,
        _ allowed: AllowedKeys,
        _ heard: Record<PublicKey?>
    ) throws -> Endpoint {
        let authenticator = try authenticate(allowed)
        let router = try open(Router.self, options: .keepingAll)
        receive(router) { [self] message in
            guard let peer = message.peer else { return }
            heard.add(message.senderKey)
            let isAllowed = message.senderKey.map(allowed.contains) ?? false
            send(isAllowed ? message : Message(number: -message.number), on: router, to: peer)
        }
        let server = CurveServer(keys: keys, authenticator: authenticator)
        return try bind(router, to: Endpoint("tcp://127.0.0.1:*"), as: server)
    }

    /// How the first handshake with a server ends; nil when it succeeds.
    fileprivate func firstHandshake(with endpoint: Endpoint, as client: CurveClient?) async throws -> HandshakeFailure?
    {
        let dealer = try open(Dealer.self)
        defer { close(dealer) }
        let events = try events(of: dealer)
        if let client {
            try connect(dealer, to: endpoint, as: client)
        } else {
            try connect(dealer, to: endpoint)
        }
        for await event in events {
            if case .handshakeFailed(_, let failure) = event { return failure }
            if case .handshakeSucceeded = event { return nil }
            // What is refused without a word is a connection that ends.
            if case .disconnected = event { return .ended(reason: "disconnected") }
        }
        return nil
    }

    fileprivate func ask(_ number: Int, on dealer: Socket<Dealer>, _ answers: MessageSequence) async -> Int? {
        send(Message(number: number), on: dealer)
        return await answers.first { _ in true }?.number
    }

    fileprivate func run(_ echo: EchoClient, against endpoint: Endpoint, as client: CurveClient) async throws {
        let dealer = try open(Dealer.self)
        try connect(dealer, to: endpoint, as: client)
        begin(echo, on: dealer)
        await echo.done.reach(1)
        close(dealer)
    }
}

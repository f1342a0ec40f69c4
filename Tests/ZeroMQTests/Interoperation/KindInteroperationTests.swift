import TestSupport
import Testing
import ZeroMQ

@Suite("Each kind of socket, with pyzmq at the other end,", .needsPython, .serialized, .timeLimit(.minutes(30)))
struct KindInteroperationTests {
    /// Who binds, over what, and with or without keys.
    struct Setting: CustomTestStringConvertible {
        let binder: Binder
        let transport: Transport
        let isEncrypted: Bool

        static let all = Binder.allCases.flatMap { binder in
            Transport.allCases.flatMap { transport in
                [false, true].map { Setting(binder: binder, transport: transport, isEncrypted: $0) }
            }
        }

        /// Without the settings in which a REQ is the CURVE server, whose connections libzmq ends at their first answer.
        static func asking(by binder: Binder) -> [Setting] { all.filter { !$0.isEncrypted || $0.binder != binder } }

        var testDescription: String { "\(binder.rawValue), \(transport), \(isEncrypted ? "CURVE" : "no keys")" }
    }

    /// How many messages go each way.
    private static let count = 50
    private let numbers = 0..<count
    private let patience = Duration.seconds(600)

    @Test("a Push feeds a PULL", arguments: Setting.all)
    func push(_ setting: Setting) async throws {
        try await join(Push.self, with: "PULL", setting) { push, python in
            for number in numbers { try await push.send(Message(number: number), within: patience) }
            for number in numbers { #expect(try await python.receive().number == number) }
        }
    }

    @Test("a Pull is fed by a PUSH", arguments: Setting.all)
    func pull(_ setting: Setting) async throws {
        try await join(Pull.self, with: "PUSH", setting) { pull, python in
            for number in numbers { try await python.send(Message(number: number)) }
            for number in numbers { #expect(try await pull.receive(within: patience).number == number) }
        }
    }

    @Test("a Req asks a REP", arguments: Setting.asking(by: .ours))
    func req(_ setting: Setting) async throws {
        try await join(Req.self, with: "REP", setting) { req, python in
            for number in numbers {
                try await req.send(Message(number: number), within: patience)
                #expect(try await python.receive().number == number)
                try await python.send(Message(number: -number))
                #expect(try await req.receive(within: patience).number == -number)
            }
        }
    }

    @Test("a Req asks a ROUTER, which sees an empty frame", arguments: Setting.asking(by: .ours))
    func reqOfRouter(_ setting: Setting) async throws {
        try await join(Req.self, with: "ROUTER", setting) { req, python in
            for number in numbers {
                try await req.send(Message(number: number), within: patience)
                let asked = try await python.receive()
                #expect(asked.count == 3 && asked[1].isEmpty && asked.dropFirst(2).number == number)
                try await python.send(asked)
                #expect(try await req.receive(within: patience).number == number)
            }
        }
    }

    @Test("a Rep answers a REQ", arguments: Setting.asking(by: .theirs))
    func rep(_ setting: Setting) async throws {
        try await join(Rep.self, with: "REQ", setting) { rep, python in
            for number in numbers {
                try await python.send(Message(number: number))
                #expect(try await rep.receive(within: patience).number == number)
                try await rep.send(Message(number: -number), within: patience)
                #expect(try await python.receive().number == -number)
            }
        }
    }

    @Test("a Rep answers a DEALER, and sends its envelope back", arguments: Setting.all)
    func repOfDealer(_ setting: Setting) async throws {
        try await join(Rep.self, with: "DEALER", setting) { rep, python in
            for number in numbers {
                try await python.send([Array("id".utf8), []] + Message(number: number))
                #expect(try await rep.receive(within: patience).number == number)
                try await rep.send(Message(number: -number), within: patience)
                #expect(try await python.receive() == [Array("id".utf8), []] + Message(number: -number))
            }
        }
    }

    @Test("a Dealer asks a REP many questions at a time", arguments: Setting.all)
    func requests(_ setting: Setting) async throws {
        try await join(Dealer.self, with: "REP", setting) { dealer, python in
            try await withThrowingTaskGroup { group in
                for number in numbers {
                    group.addTask {
                        let answer = try await dealer.request(Message(number: number), within: patience)
                        #expect(answer.number == -number)
                    }
                }
                for _ in numbers { try await python.send(Message(number: -python.receive().number)) }
                try await group.waitForAll()
            }
        }
    }

    @Test("a Dealer and a ROUTER talk", arguments: Setting.all)
    func dealer(_ setting: Setting) async throws {
        try await join(Dealer.self, with: "ROUTER", setting) { dealer, python in
            for number in numbers { try await dealer.send(Message(number: number), within: patience) }
            for number in numbers {
                let received = try await python.receive()
                #expect(received.dropFirst().number == number)
                try await python.send(received)
            }
            for number in numbers { #expect(try await dealer.receive(within: patience).number == number) }
        }
    }

    @Test("a Router, also one that connects, and a DEALER talk", arguments: Setting.all)
    func router(_ setting: Setting) async throws {
        try await join(Router.self, with: "DEALER", setting) { router, python in
            for number in numbers { try await python.send(Message(number: number)) }
            for number in numbers {
                let received = try await router.receive(within: patience)
                #expect(received.number == number)
                try await router.send(received, to: try #require(received.peer), within: patience)
            }
            for number in numbers { #expect(try await python.receive().number == number) }
        }
    }

    @Test("a Pair and a PAIR talk", arguments: Setting.all)
    func pair(_ setting: Setting) async throws {
        try await join(Pair.self, with: "PAIR", setting) { pair, python in
            for number in numbers { try await pair.send(Message(number: number), within: patience) }
            for number in numbers {
                #expect(try await python.receive().number == number)
                try await python.send(Message(number: number))
            }
            for number in numbers { #expect(try await pair.receive(within: patience).number == number) }
        }
    }

    @Test("an XPub's messages of bare bytes reach a SUB", arguments: Setting.all)
    func xpub(_ setting: Setting) async throws {
        try await join(XPub.self, with: "SUB", setting) { xpub, python in
            try await python.subscribe(to: Array("hash".utf8))
            // A SUB that is bound tells a new publisher its topics when it receives.
            async let first = python.receive()
            try await xpub.reactor.awaitSubscriptions(to: TopicPrefix(bytes: "hashtx".utf8), on: xpub, within: patience)
            for number in numbers {
                try await xpub.send(Message("other", "\(number)"), within: patience)
                try await xpub.send(Message("hashtx", "\(number)"), within: patience)
            }
            #expect(try await first == Message("hashtx", "0"))
            for number in numbers.dropFirst() {
                #expect(try await python.receive() == Message("hashtx", "\(number)"))
            }
        }
    }

    @Test("a Sub hears an XPUB's messages of bare bytes", arguments: Setting.all)
    func sub(_ setting: Setting) async throws {
        try await join(Sub.self, with: "XPUB", setting) { sub, python in
            try await sub.reactor.subscribe(sub, to: [TopicPrefix(bytes: "hash".utf8)])
            #expect(try await python.receive() == Message("\u{1}hash"))
            for number in numbers {
                try await python.send(Message("other", "\(number)"))
                try await python.send(Message("hashtx", "\(number)"))
            }
            for number in numbers {
                #expect(try await sub.receive(within: patience) == Message("hashtx", "\(number)"))
            }
        }
    }

    /// Runs something with one of our sockets and one of pyzmq's.
    private func join<Kind: SocketKind>(
        _ kind: Kind.Type,
        with theirs: String,
        _ setting: Setting,
        _ body: @Sendable (Socket<Kind>, PythonPeer) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let (server, client) = (KeyPair(), KeyPair())
        let endpoint = try setting.transport.endpoint(in: directory)
        try await withReactor { reactor in
            let socket = try await reactor.open(kind)
            switch setting.binder {
            case .ours:
                let bound: Endpoint
                if setting.isEncrypted {
                    let authenticator = try await reactor.authenticate(AllowedKeys([client.publicKey]))
                    let curve = CurveServer(keys: server, authenticator: authenticator)
                    bound = try await reactor.bind(socket, to: endpoint, as: curve)
                } else {
                    bound = try await reactor.bind(socket, to: LocalEndpoint(endpoint))
                }
                let keys = ["--curve-secret=\(client.secretKey.text)", "--curve-server-key=\(server.publicKey)"]
                try await withPython(theirs, .connecting(bound), setting.isEncrypted ? keys : []) { python in
                    try await body(socket, python)
                }
            case .theirs:
                try Certificate(client.publicKey, metadata: ["name": "ours"]).write(to: "\(directory.path)/ours")
                let keys = ["--curve-secret=\(server.secretKey.text)", "--curve-clients=\(directory.path)"]
                try await withPython(theirs, .binding(endpoint), setting.isEncrypted ? keys : []) { python in
                    if setting.isEncrypted {
                        let curve = CurveClient(keys: client, server: server.publicKey)
                        try await reactor.connect(socket, to: python.endpoint, as: curve)
                    } else {
                        try await reactor.connect(socket, to: python.endpoint)
                    }
                    try await body(socket, python)
                }
            }
        }
    }
}

import Scorecard
import TestSupport
import Testing
import ZeroMQ

@Suite("A ROUTER with a peer that does not speak ZeroMQ", .timeLimit(.minutes(30)))
struct HostilePeerTests {
    @Test("goes on serving", .scorecard(12), arguments: Attack.allCases)
    func survives(_ attack: Attack) async throws {
        try await withReactor("server") { server in
            let router = try await server.open(Router.self)
            let endpoint = try await server.bind(router, to: try LocalEndpoint("tcp://127.0.0.1:*"))
            let sizes = Record<Int>()
            await server.echo(router) { sizes.add($0.sizeInBytes) }
            Scorecard.count(10)
            for _ in 0..<10 {
                try attack.run(port: try #require(UInt16(endpoint.text.split(separator: ":").last ?? "")))
            }
            try await withReactor("client") { client in
                let echo = EchoClient(count: 1_000, window: 8)
                try await client.run(echo, against: endpoint)
                #expect(echo.mistakes == 0)
            }
            #expect(sizes.values.count == 1_000, "Only the well-behaved client was heard.")
        }
    }

    @Test(
        "discards a message that is too large in all, however its bytes are divided, and takes the next",
        .scorecard(13)
    )
    func tooLargeInAll() async throws {
        let block = [UInt8](repeating: 1, count: 9_000)
        let large = [
            Message([[UInt8]](repeating: [1], count: 10_000)), Message([[UInt8]](repeating: block, count: 20)),
        ]
        let fitting = [Message([[UInt8]](repeating: block, count: 6)), Message([[7]])]
        try await withReactor("server") { server in
            var options = SocketOptions(for: Router.self)
            (options.maximumMessageSize, options.maximumMultipartSize) = (10_000, 64_000)
            let router = try await server.open(Router.self, options: options)
            let plain = try await server.open(Dealer.self, options: options)
            let heard = Record<Message>()
            let doors = [
                try await server.bind(router, to: try LocalEndpoint("tcp://127.0.0.1:*")),
                try await server.bind(plain, to: try LocalEndpoint("tcp://127.0.0.1:*")),
            ]
            await server.receive(router) { message in heard.add(message) }
            await server.receive(plain) { message in heard.add(message) }
            try await withReactor("client") { client in
                let dealer = try await client.dial(doors[0])
                let other = try await client.dial(doors[1])
                client.submit { reactor in
                    for message in large + fitting {
                        reactor.send(message, on: dealer)
                        reactor.send(message, on: other)
                    }
                }
                let values = await heard.reach(4)
                for message in fitting { #expect(values.count { $0 == message } == 2) }
            }
        }
    }

    enum Attack: String, CaseIterable, CustomTestStringConvertible {
        case noise = "noise instead of a greeting"
        case silence = "a connection that is closed at once"
        case oversizedFrame = "a frame that announces a terabyte"
        case tooLargeFrame = "a frame one byte over the limit"
        case badCommand = "a malformed command after the greeting"
        case halfMessage = "a multipart message that never ends"

        var testDescription: String { rawValue }

        func run(port: UInt16) throws {
            let connection = try #require(RawConnection(port: port))
            switch self {
            case .noise:
                connection.send([UInt8](repeating: 0x47, count: 1000))
            case .silence:
                break
            case .oversizedFrame:
                greet(connection)
                connection.send([0x02, 0, 0, 1, 0, 0, 0, 0, 0] + [UInt8](repeating: 1, count: 100))
                connection.readToEnd()
            case .tooLargeFrame:
                greet(connection)
                connection.send([0x02, 0, 0, 0, 0, 0, 0x10, 0, 1] + [UInt8](repeating: 1, count: (1 << 20) + 1))
                connection.readToEnd()
            case .badCommand:
                greet(connection)
                connection.send([0x04, 5, 200, 1, 2, 3, 4])
            case .halfMessage:
                greet(connection)
                connection.send([0x01, 3, 1, 2, 3, 0x01, 3, 1, 2, 3])
            }
        }

        /// The greeting and handshake of ZMTP 3.0 without security, as a DEALER.
        private func greet(_ connection: RawConnection) {
            let signature: [UInt8] = [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0]
            let mechanism = Array("NULL".utf8) + [UInt8](repeating: 0, count: 16)
            connection.send(signature + mechanism + [UInt8](repeating: 0, count: 32))
            let property = [11] + Array("Socket-Type".utf8) + [0, 0, 0, 6] + Array("DEALER".utf8)
            let ready = [5] + Array("READY".utf8) + property
            connection.send([0x04, UInt8(ready.count)] + ready)
            #expect(connection.read(64).count == 64)
        }
    }
}

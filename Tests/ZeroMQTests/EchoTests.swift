import Synchronization
import TestSupport
import Testing
import ZeroMQ

@Suite("A ROUTER that answers DEALERs", .timeLimit(.minutes(30)))
struct EchoTests {
    @Test("answers 100,000 messages with 64 outstanding, in order", arguments: Transport.allCases)
    func manyMessages(_ transport: Transport) async throws {
        let directory = try TemporaryDirectory()
        try await withReactor("server") { server in
            let endpoint = try await server.startEcho(on: try transport.endpoint(in: directory))
            try await withReactor("client") { client in
                let echo = EchoClient(count: 100_000, window: 64)
                try await client.run(echo, against: endpoint)
                #expect(echo.mistakes == 0)
            }
        }
    }

    @Test("gives each of several peers its own answers")
    func severalPeers() async throws {
        try await withReactor("server") { server in
            let endpoint = try await server.startEcho(on: try Endpoint("tcp://127.0.0.1:*"))
            try await withReactor("client") { client in
                let echoes = (0..<5).map { EchoClient(count: 1_000, window: 16, offset: $0 * 1_000_000) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for echo in echoes { group.addTask { try await client.run(echo, against: endpoint) } }
                    try await group.waitForAll()
                }
                #expect(echoes.map(\.mistakes) == [0, 0, 0, 0, 0])
            }
        }
    }

    @Test("keeps frames and their boundaries, whatever their number and size")
    func multipart() async throws {
        let sizes = [
            [0], [1, 0, 3], [5, 36, 10, 400, 64], Array(repeating: 7, count: 8), Array(repeating: 9, count: 9),
        ]
        let shapes = sizes + [Array(0..<16), Array(0..<17), Array(0..<40), [100_000, 33, 34, 8_192, 8_193], [1 << 20]]
        let messages = shapes.enumerated().map { index, shape in
            Message(shape.map { size in (0..<size).map { UInt8(truncatingIfNeeded: $0 + index) } })
        }
        try await withReactor { reactor in
            let endpoint = try await reactor.startEcho(on: try Endpoint("tcp://127.0.0.1:*"))
            let dealer = try await reactor.dial(endpoint)
            let answers = Record<Message>()
            await reactor.receive(dealer) { message in answers.add(message) }
            await reactor.writable(dealer)
            for message in messages { #expect(await reactor.send(message, on: dealer) == .sent) }
            #expect(await answers.reach(messages.count) == messages)
        }
    }
}

/// Sends numbers and checks that they come back in order.
///
/// Owned by its reactor's thread, but for the counts.
final class EchoClient: Sendable {
    private let count: Int
    private let window: Int
    private let offset: Int
    private let sent = Atomic<Int>(0)
    private let answered = Atomic<Int>(0)
    private let wrong = Atomic<Int>(0)
    let done = Milestone()

    init(count: Int, window: Int, offset: Int = 0) {
        self.count = count
        self.window = window
        self.offset = offset
    }

    var mistakes: Int { wrong.load(ordering: .sequentiallyConsistent) }

    func fill(_ reactor: isolated Reactor, _ dealer: Socket<Dealer>) {
        while true {
            let next = sent.load(ordering: .relaxed)
            guard next < count, next - answered.load(ordering: .relaxed) < window else { return }
            guard reactor.send(Message(number: offset + next), on: dealer) == .sent else {
                wrong.add(1, ordering: .relaxed)
                return
            }
            sent.add(1, ordering: .relaxed)
        }
    }

    func take(_ message: Message) {
        let number = answered.add(1, ordering: .relaxed).oldValue
        if message.count != 1 || message.number != offset + number { wrong.add(1, ordering: .relaxed) }
        if number + 1 == count { done.advance() }
    }
}

extension Reactor {
    /// Lets an echo client send and receive on a DEALER from now on.
    func begin(_ echo: EchoClient, on dealer: Socket<Dealer>) {
        receive(dealer) { [self] message in
            echo.take(message)
            echo.fill(self, dealer)
        }
        whenWritable(dealer) { [self] in echo.fill(self, dealer) }
    }

    /// Runs an echo client to its end.
    func run(_ echo: EchoClient, against endpoint: Endpoint) async throws {
        let dealer = try dial(endpoint)
        begin(echo, on: dealer)
        await echo.done.reach(1)
        close(dealer)
    }
}

import Scorecard
import TestSupport
import Testing
import ZeroMQ

/// What goes wrong with libzmq when it is used the obvious way; each test is named after its trap.
@Suite("A trap of libzmq", .timeLimit(.minutes(30)))
struct TrapTests {
    @Test("lost edge: messages that one turn leaves behind are taken in the next ones")
    func lostEdge() async throws {
        var options = ReactorOptions()
        options.messagesPerTurn = 1
        try await withReactor("one a turn", options: options) { reactor in
            let router = try await reactor.open(Router.self)
            let received = Record<Int>()
            await reactor.receive(router) { message in received.add(message.number) }
            let endpoint = try await reactor.bind(router, to: LocalEndpoint("tcp://127.0.0.1:*"))
            try await withReactor("sender") { sender in
                let dealer = try await sender.dial(endpoint)
                await sender.sendAll(200, on: dealer)
                #expect(await received.reach(200) == Array(0..<200))
            }
        }
    }

    @Test("eaten wake: sending on a socket takes no notice away that messages have come")
    func eatenWake() async throws {
        try await withReactor { reactor in
            let router = try await reactor.open(Router.self)
            let peers = Record<PeerID>()
            await reactor.receive(router) { message in if let peer = message.peer { peers.add(peer) } }
            let endpoint = try await reactor.bind(router, to: LocalEndpoint("inproc://eaten"))
            let dealer = try await reactor.dial(endpoint)
            let answers = Record<Int>()
            await reactor.receive(dealer) { message in answers.add(message.number) }
            await reactor.send(Message(number: 0), on: dealer)
            let peer = await peers.reach(1)[0]
            for number in 0..<200 {
                // The answer is there before the request is sent, which looks at the socket's signals.
                await reactor.answerAndAsk(number, router, peer, dealer)
                #expect(await answers.reach(number + 1).last == number)
            }
        }
    }

    @Test("duplicate id: a peer that claims another one's routing id gets none of its answers", .scorecard(21))
    func duplicateID() async throws {
        try await withReactor { reactor in
            let router = try await reactor.open(Router.self)
            let (peers, events) = (Record<PeerID>(), Record<SocketEvent>())
            await reactor.echo(router) { message in if let peer = message.peer { peers.add(peer) } }
            try await reactor.observe(router) { event in events.add(event) }
            let endpoint = try await reactor.bind(router, to: LocalEndpoint("tcp://127.0.0.1:*"))
            let port = try #require(UInt16(endpoint.text.split(separator: ":").last ?? ""))
            let first = try #require(RawConnection(port: port))
            first.shakeHands(claiming: "victim")
            first.sendFrame([1])
            let victim = await peers.reach(1)[0]
            #expect(first.readFrame() == [1])

            let impostor = try #require(RawConnection(port: port))
            impostor.shakeHands(claiming: "victim")
            impostor.sendFrame([2])
            // Once the socket knows of it, what is said to the victim still goes to the victim.
            while events.values.count(where: { if case .handshakeSucceeded = $0 { true } else { false } }) < 2 {
                await reactor.passTurns(1)
            }
            #expect(await reactor.send(Message([[3]]), on: router, to: victim) == .sent)
            #expect(first.readFrame() == [3])
            #expect(peers.values.count == 1, "Nobody heard the impostor.")
        }
    }

    @Test("half multipart: a message comes with all its frames, or not at all")
    func halfMultipart() async throws {
        try await withReactor { reactor in
            let router = try await reactor.open(Router.self)
            let received = Record<Message>()
            await reactor.receive(router) { message in received.add(message) }
            let endpoint = try await reactor.bind(router, to: LocalEndpoint("tcp://127.0.0.1:*"))
            let port = try #require(UInt16(endpoint.text.split(separator: ":").last ?? ""))
            do {
                let connection = try #require(RawConnection(port: port))
                connection.shakeHands(claiming: "half")
                connection.sendFrame([1], hasMore: true)
                connection.sendFrame([2], hasMore: true)
            }
            let connection = try #require(RawConnection(port: port))
            connection.shakeHands(claiming: "whole")
            for frame in 1...5 as ClosedRange<UInt8> { connection.sendFrame([frame], hasMore: frame < 5) }
            #expect(await received.reach(1) == [Message([[1], [2], [3], [4], [5]])])
        }
    }

    @Test("a million messages through each pattern leave memory as it was")
    func memory() async {
        await #expect(processExitsWith: .success) { try await sendMillions() }
    }
}

extension Reactor {
    fileprivate func sendAll(_ count: Int, on dealer: Socket<Dealer>) {
        for number in 0..<count { send(Message(number: number), on: dealer) }
    }

    fileprivate func answerAndAsk(
        _ number: Int,
        _ router: Socket<Router>,
        _ peer: PeerID,
        _ dealer: Socket<Dealer>
    ) {
        send(Message(number: number), on: router, to: peer)
        send(Message(number: number), on: dealer)
    }
}

extension RawConnection {
    /// The greeting and handshake of ZMTP 3.0 without security, as a DEALER with a routing id of its own choice.
    func shakeHands(claiming routingID: String) {
        let signature: [UInt8] = [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0]
        send(signature + Array("NULL".utf8) + [UInt8](repeating: 0, count: 48))
        let ready = [5] + Array("READY".utf8) + property("Socket-Type", "DEALER") + property("Identity", routingID)
        send([0x04, UInt8(ready.count)] + ready)
        _ = read(64)
        // The server's own READY.
        let header = read(2)
        if header.count == 2 { _ = read(Int(header[1])) }
    }

    func sendFrame(_ bytes: [UInt8], hasMore: Bool = false) {
        send([hasMore ? 1 : 0, UInt8(bytes.count)] + bytes)
    }

    /// The next frame that is no command, such as a heartbeat.
    func readFrame() -> [UInt8] {
        while true {
            let header = read(2)
            guard header.count == 2 else { return [] }
            let content = read(Int(header[1]))
            if header[0] & 4 == 0 { return content }
        }
    }

    private func property(_ name: String, _ value: String) -> [UInt8] {
        [UInt8(name.utf8.count)] + Array(name.utf8) + [0, 0, 0, UInt8(value.utf8.count)] + Array(value.utf8)
    }
}

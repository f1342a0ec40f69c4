import Scorecard
import TestSupport
import Testing
import ZeroMQ

@Suite("A ROUTER with a slow peer", .scorecard(10), .timeLimit(.minutes(30)))
struct RouterOutboxTests {
    /// A ROUTER with small limits, and a peer that has said one word and reads nothing.
    private func withSlowPeer(
        outbox: OutboxLimits,
        _ body: (_ reactor: Reactor, _ router: Socket<Router>, _ dealer: Socket<Dealer>, PeerID) async throws -> Void
    ) async throws {
        try await withReactor { reactor in
            var options = SocketOptions.router
            (options.sendHighWaterMark, options.outbox) = (4, outbox)
            let router = try await reactor.open(Router.self, options: options)
            let peers = Record<PeerID>()
            await reactor.receive(router) { _, peer, _ in peers.add(peer) }
            let dealer = try await reactor.dial(
                try await reactor.bind(router, to: LocalEndpoint("inproc://slow-peer"))
            )
            await reactor.send(Message(number: 0), on: dealer)
            try await body(reactor, router, dealer, await peers.reach(1)[0])
        }
    }

    @Test("keeps what finds no room, in order, and delivers it once there is room")
    func keeps() async throws {
        try await withSlowPeer(outbox: OutboxLimits()) { reactor, router, dealer, peer in
            var outcomes: [SendOutcome] = []
            for number in 0..<1_000 {
                outcomes.append(await reactor.send(Message(number: number), on: router, to: peer))
            }
            let room = 4 + SocketOptions.dealer.receiveHighWaterMark
            #expect(outcomes == Array(repeating: .sent, count: room) + Array(repeating: .queued, count: 1_000 - room))
            let received = Record<Int>()
            await reactor.receive(dealer) { _, message in received.add(message.number) }
            #expect(await received.reach(1_000) == Array(0..<1_000))
            #expect(await reactor.flushOutboxes(of: router, within: .seconds(30)))
        }
    }

    @Test("is full in the end, and says so; what it could not deliver it gives back")
    func full() async throws {
        try await withSlowPeer(outbox: OutboxLimits(messagesPerPeer: 3)) { reactor, router, dealer, peer in
            while await reactor.send(Message(number: 1), on: router, to: peer) == .sent {}
            let lost = Record<Undelivered>()
            await reactor.onUndelivered(router) { _, undelivered in lost.add(undelivered) }
            for number in 2...3 {
                #expect(await reactor.send(Message(number: number), on: router, to: peer) == .queued)
            }
            #expect(await reactor.send(Message(number: 4), on: router, to: peer) == .full)
            let refused = await #expect(throws: ZeroMQError.self) {
                try await reactor.deliver(Message(number: 5), on: router, to: peer, within: .seconds(3600))
            }
            #expect(refused?.code == .peerFull)
            #expect(await reactor.flushOutboxes(of: router, within: .zero) == false)
            await reactor.close(dealer)
            let undelivered = await lost.reach(3)
            #expect(undelivered.map(\.message.number) == [1, 2, 3])
            #expect(Set(undelivered.map(\.reason)) == [.peerUnreachable] && undelivered[0].peer == peer)
        }
    }

    @Test("tells a waiting sender that it was delivered, too late, unreachable or closed")
    func deliver() async throws {
        try await withSlowPeer(outbox: OutboxLimits()) { reactor, router, dealer, peer in
            try await reactor.deliver(Message(number: 0), on: router, to: peer, within: .seconds(3600))
            while await reactor.send(Message(number: 1), on: router, to: peer) == .sent {}
            let late = await #expect(throws: ZeroMQError.self) {
                try await reactor.deliver(Message(number: 2), on: router, to: peer, within: .milliseconds(5))
            }
            #expect(late?.code == .deadline)

            let waiting = Task {
                try await reactor.deliver(Message(number: 3), on: router, to: peer, within: .seconds(3600))
            }
            let received = Record<Int>()
            await reactor.receive(dealer) { _, message in received.add(message.number) }
            try await waiting.value
            while received.values.last != 3 { await reactor.passTurns(1) }
            #expect(!received.values.contains(2), "What was too late is not sent.")

            await reactor.close(dealer)
            while await reactor.send(Message(number: 4), on: router, to: peer) != .unreachable {
                await reactor.passTurns(1)
            }
            let gone = await #expect(throws: ZeroMQError.self) {
                try await reactor.deliver(Message(number: 5), on: router, to: peer, within: .seconds(3600))
            }
            #expect(gone?.code == .peerUnreachable)
            await reactor.close(router)
            let closed = await #expect(throws: ZeroMQError.self) {
                try await reactor.deliver(Message(number: 6), on: router, to: peer, within: .seconds(3600))
            }
            #expect(closed?.code == .closed)
        }
    }

    @Test("gives what waits its share of the time when it is shut down")
    func shutDown() async throws {
        try await withReactor("client") { client in
            let received = Record<Int>()
            let server = try Reactor(label: "server")
            var options = SocketOptions.router
            options.sendHighWaterMark = 4
            options.linger = .seconds(30)
            let router = try await server.open(Router.self, options: options)
            let peers = Record<PeerID>()
            await server.receive(router) { _, peer, _ in peers.add(peer) }
            let dealer = try await client.dial(try await server.bind(router, to: LocalEndpoint("tcp://127.0.0.1:*")))
            await client.receive(dealer) { _, message in received.add(message.number) }
            await client.send(Message(number: 0), on: dealer)
            let peer = await peers.reach(1)[0]
            // The whole reactor is busy meanwhile, so that much has to wait.
            await server.sendAll(1_000, on: router, to: peer)
            await server.shutDown(flushing: .seconds(30))
            #expect(await received.reach(1_000) == Array(0..<1_000))
        }
    }
}

extension Reactor {
    fileprivate func sendAll(_ count: Int, on router: Socket<Router>, to peer: PeerID) {
        for number in 0..<count { send(Message(number: number), on: router, to: peer) }
    }
}

@Suite("A wait until the outboxes are empty", .timeLimit(.minutes(30)))
struct FlushingTests {
    @Test("is told when the reactor ends meanwhile")
    func endsWithTheReactor() async throws {
        let reactor = try Reactor(label: "flushing")
        var options = SocketOptions.router
        options.sendHighWaterMark = 4
        let router = try await reactor.open(Router.self, options: options)
        let peers = Record<PeerID>()
        await reactor.receive(router) { _, peer, _ in peers.add(peer) }
        // It reads nothing, so the outbox stays as it is.
        let dealer = try await reactor.dial(try await reactor.bind(router, to: LocalEndpoint("inproc://flushing")))
        await reactor.send(Message(number: 0), on: dealer)
        let peer = await peers.reach(1)[0]
        while await reactor.send(Message(number: 1), on: router, to: peer) == .sent {}
        let waiting = Task { await reactor.flushOutboxes(of: router, within: .seconds(3600)) }
        await reactor.shutDown(flushing: .zero)
        #expect(await waiting.value, "A closed socket has nothing left.")
    }
}

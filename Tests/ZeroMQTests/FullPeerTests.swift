import Scorecard
import TestSupport
import Testing

@testable import ZeroMQ

@Suite("A ROUTER with a slow peer", .scorecard(10), .timeLimit(.minutes(30)))
struct FullPeerTests {
    /// A ROUTER with small limits, and a peer that has said one word and reads nothing; the peer's queue is full.
    private func withFullPeer(
        _ body: (_ reactor: Reactor, _ router: Socket<Router>, _ dealer: Socket<Dealer>, PeerID) async throws -> Void
    ) async throws {
        try await withReactor { reactor in
            var options = SocketOptions(for: Router.self)
            options.sendHighWaterMark = 4
            let router = try await reactor.open(Router.self, options: options)
            let peers = Record<PeerID>()
            await reactor.receive(router) { message in if let peer = message.peer { peers.add(peer) } }
            let dealer = try await reactor.dial(
                try await reactor.bind(router, to: LocalEndpoint("inproc://full-peer"))
            )
            await reactor.send(Message(number: -1), on: dealer)
            let peer = await peers.reach(1)[0]
            while await reactor.send(Message(number: 0), on: router, to: peer) == .sent {}
            try await body(reactor, router, dealer, peer)
        }
    }

    private func code(_ body: () async throws -> Void) async throws -> ZeroMQError.Code? {
        do { try await body() } catch let error as ZeroMQError { return error.code }
        return nil
    }

    @Test("lets tasks wait for room, in order, and nothing overtakes them")
    func order() async throws {
        try await withFullPeer { reactor, router, dealer, peer in
            let received = Record<Int>()
            try await withThrowingTaskGroup { group in
                for number in 1...100 {
                    group.addTask {
                        try await reactor.send(Message(number: number), on: router, to: peer, within: .seconds(3600))
                    }
                    await reactor.waiting(router, number)
                }
                await reactor.run { reactor in
                    reactor.receive(dealer) { message in
                        received.add(message.number)
                        if reactor.waitingCount(router) > 0 {
                            #expect(reactor.send(Message(number: 0), on: router, to: peer) == .full)
                        }
                    }
                }
                try await group.waitForAll()
            }
            while received.values.last != 100 { await reactor.passTurns(1) }
            #expect(received.values.filter { $0 > 0 } == Array(1...100))
            #expect(await reactor.waits.isEmpty)
        }
    }

    @Test("tells a waiting task that it is too late, cancelled, unreachable or closed, and sends nothing")
    func ends() async throws {
        try await withFullPeer { reactor, router, dealer, peer in
            #expect(
                try await code {
                    try await reactor.send(Message(number: 1), on: router, to: peer, within: .milliseconds(5))
                } == .deadline
            )
            let cancelled = Task {
                try await code {
                    try await reactor.send(Message(number: 2), on: router, to: peer, within: .seconds(3600))
                }
            }
            await reactor.waiting(router, 1)
            cancelled.cancel()
            #expect(try await cancelled.value == .cancelled)

            let received = Record<Int>()
            await reactor.receive(dealer) { message in received.add(message.number) }
            try await reactor.send(Message(number: 3), on: router, to: peer, within: .seconds(3600))
            while received.values.last != 3 { await reactor.passTurns(1) }
            #expect(Set(received.values) == [0, 3])

            await reactor.pause(dealer)
            while await reactor.send(Message(number: 0), on: router, to: peer) == .sent {}
            let gone = Task {
                try await code {
                    try await reactor.send(Message(number: 4), on: router, to: peer, within: .seconds(3600))
                }
            }
            await reactor.waiting(router, 1)
            await reactor.close(dealer)
            #expect(try await gone.value == .peerUnreachable)
            await reactor.close(router)
            #expect(
                try await code {
                    try await reactor.send(Message(number: 5), on: router, to: peer, within: .seconds(3600))
                } == .closed
            )
        }
    }

    @Test("ends the waiting tasks with the socket, and with the reactor")
    func closed() async throws {
        let reactor = try Reactor(label: "closed")
        var options = SocketOptions(for: Router.self)
        options.sendHighWaterMark = 4
        var waiting: [Task<ZeroMQError.Code?, any Error>] = []
        for number in 0..<2 {
            let router = try await reactor.open(Router.self, options: options)
            let peers = Record<PeerID>()
            await reactor.receive(router) { message in if let peer = message.peer { peers.add(peer) } }
            let dealer = try await reactor.dial(
                try await reactor.bind(router, to: LocalEndpoint("inproc://closed-\(number)"))
            )
            await reactor.send(Message(number: 0), on: dealer)
            let peer = await peers.reach(1)[0]
            while await reactor.send(Message(number: 0), on: router, to: peer) == .sent {}
            waiting.append(
                Task {
                    try await code {
                        try await reactor.send(Message(number: 1), on: router, to: peer, within: .seconds(3600))
                    }
                }
            )
            await reactor.waiting(router, 1)
            if number == 0 { await reactor.close(router) }
        }
        #expect(try await waiting[0].value == .closed)
        await reactor.shutDown(flushing: .zero)
        #expect(try await waiting[1].value == .closed)
    }
}

@Suite("The lines of full peers")
struct PeerLinesTests {
    private var lines = PeerLines()
    private var waits = Waits()
    private let now = ContinuousClock.now

    private mutating func add(_ number: Int, for peer: UInt32) -> WaitID {
        let wait = waits.nextID()
        lines.add(Message(number: number), of: wait, for: PeerID(assignedNumber: peer), at: now)
        return wait
    }

    @Test("stop at the first message without room, and do not delay other peers")
    mutating func stop() {
        let first = [add(1, for: 1), add(2, for: 1), add(3, for: 1)]
        let second = [add(4, for: 2)]
        var room = 1
        let ended = lines.retry(at: now) { _, peer in
            if peer == PeerID(assignedNumber: 2) { return .unreachable }
            defer { room -= 1 }
            return room > 0 ? .sent : .full
        }
        #expect(Dictionary(uniqueKeysWithValues: ended) == [first[0]: .sent, second[0]: .unreachable])
        #expect(lines.contain(PeerID(assignedNumber: 1)) && !lines.contain(PeerID(assignedNumber: 2)))
        #expect(lines.retry(at: now) { _, _ in .sent }.map(\.wait) == [first[1], first[2]])
        #expect(lines.due == nil)
    }

    @Test("forget the message of a wait that has ended")
    mutating func remove() {
        let waits = [add(1, for: 1), add(2, for: 1)]
        lines.remove(waits[0])
        #expect(lines.retry(at: now) { message, _ in message.number == 2 ? .sent : .full }.map(\.wait) == [waits[1]])
        let last = add(3, for: 1)
        lines.remove(last)
        #expect(!lines.contain(PeerID(assignedNumber: 1)))
    }

    @Test("are tried at once while the peer reads, then after pauses that double up to a tenth of a second")
    mutating func pace() throws {
        _ = add(1, for: 1)
        #expect(lines.due == now)
        _ = lines.retry(at: now) { _, _ in .full }
        #expect(lines.due == now, "a peer that reads has room in microseconds")
        var time = now + RetryPace.eagerness
        _ = lines.retry(at: time) { _, _ in .full }
        #expect(lines.due == time + RetryPace.shortestPause)
        for _ in 0..<10 {
            time = try #require(lines.due)
            _ = lines.retry(at: time) { _, _ in .full }
        }
        #expect(lines.due == time + RetryPace.longestPause)
        // One that has just become full is tried at once, whatever the pause of another is.
        _ = add(2, for: 2)
        #expect(lines.due == now)
    }
}

extension Reactor {
    fileprivate func waitingCount(_ router: Socket<Router>) -> Int { sockets[router.token]?.waits.count ?? 0 }

    /// Returns when so many tasks wait.
    fileprivate nonisolated func waiting(_ router: Socket<Router>, _ count: Int) async {
        while await waitingCount(router) < count { await passTurns(1) }
    }
}

import TestSupport
import Testing
import ZeroMQ

@Suite("Sending", .timeLimit(.minutes(30)))
struct SendingTests {
    @Test("to a peer that has gone is unreachable")
    func unknownPeer() async throws {
        try await withReactor { reactor in
            let router = try await reactor.open(Router.self)
            let endpoint = try await reactor.bind(router, to: try LocalEndpoint("tcp://127.0.0.1:*"))
            let received = Record<PeerID>()
            await reactor.receive(router) { message in if let peer = message.peer { received.add(peer) } }
            let dealer = try await reactor.dial(endpoint)
            await reactor.writable(dealer)
            #expect(await reactor.send(Message(number: 1), on: dealer) == .sent)
            let peer = try #require(await received.reach(1).first)
            #expect(await reactor.send(Message(number: 2), on: router, to: peer) == .sent)
            await reactor.close(dealer)
            while await reactor.send(Message(number: 3), on: router, to: peer) != .unreachable {
                await reactor.passTurns(1)
            }
            // A peer of one ROUTER is nobody to another.
            let stranger = try await reactor.open(Router.self)
            #expect(await reactor.send(Message(number: 4), on: stranger, to: peer) == .unreachable)
            #expect("\(peer)" == "PeerID(redacted)" && String(reflecting: received.values).contains("redacted"))
        }
    }

    @Test("to a full peer says so at once, while another is served")
    func fullPeer() async throws {
        try await withReactor { reactor in
            var options = SocketOptions(for: Router.self)
            options.sendHighWaterMark = 4
            let router = try await reactor.open(Router.self, options: options)
            let peers = Record<PeerID>()
            await reactor.receive(router) { message in if let peer = message.peer { peers.add(peer) } }

            // Within the process nothing is buffered on the way, so the queue that fills up also stays full.
            let deaf = try await reactor.dial(try await reactor.bind(router, to: try LocalEndpoint("inproc://deaf")))
            await reactor.send(Message(number: 0), on: deaf)
            let deafPeer = await peers.reach(1)[0]
            var taken = 0
            while await reactor.send(Message(number: taken), on: router, to: deafPeer) == .sent { taken += 1 }
            #expect(taken == 4 + SocketOptions(for: Dealer.self).receiveHighWaterMark)

            let answers = Record<Int>()
            let listening = try await reactor.dial(
                try await reactor.bind(router, to: try LocalEndpoint("tcp://127.0.0.1:*"))
            )
            await reactor.receive(listening) { message in answers.add(message.number) }
            await reactor.writable(listening)
            await reactor.send(Message(number: 1), on: listening)
            let listeningPeer = await peers.reach(2)[1]
            for number in 0..<100 {
                #expect(await reactor.send(Message(number: -1), on: router, to: deafPeer) == .full)
                #expect(await reactor.send(Message(number: number), on: router, to: listeningPeer) == .sent)
                #expect(await answers.reach(number + 1).last == number)
            }

            // Once it listens, it gets everything that was taken for it.
            let late = Record<Int>()
            await reactor.receive(deaf) { message in late.add(message.number) }
            #expect(await late.reach(taken) == Array(0..<taken))
            #expect(await reactor.send(Message(number: -2), on: router, to: deafPeer) == .sent)
        }
    }

    @Test("without a connection is queued, or full when the options say so")
    func noConnection() async throws {
        try await withReactor { reactor in
            let nobody = try Endpoint("ipc:///tmp/zeromq-tests-nobody")
            let queueing = try await reactor.dial(nobody)
            #expect(await reactor.send(Message(number: 1), on: queueing) == .sent)
            var options = SocketOptions(for: Dealer.self)
            options.immediate = true
            let waiting = try await reactor.dial(nobody, options: options)
            #expect(await reactor.send(Message(number: 1), on: waiting) == .full)
            // A DEALER that was never told where to connect has nowhere to queue either.
            let unconnected = try await reactor.open(Dealer.self)
            #expect(await reactor.send(Message(number: 1), on: unconnected) == .full)
        }
    }

    @Test("on a closed socket, or one of another reactor, reaches nobody")
    func closedSocket() async throws {
        try await withReactor { reactor in
            let dealer = try await reactor.dial(try await reactor.startEcho(on: try Endpoint("inproc://echo")))
            #expect(await reactor.send(Message(number: 1), on: dealer) == .sent)
            try await withReactor { other in
                _ = try await other.startEcho(on: try Endpoint("inproc://echo"))
                #expect(await other.send(Message(number: 1), on: dealer) == .unreachable)
            }
            await reactor.close(dealer)
            await reactor.close(dealer)
            _ = try await reactor.open(Dealer.self)
            #expect(await reactor.send(Message(number: 1), on: dealer) == .unreachable)
            let error = await #expect(throws: ZeroMQError.self) {
                try await reactor.connect(dealer, to: try Endpoint("inproc://echo"))
            }
            #expect(error?.code == .closed)
        }
    }
}

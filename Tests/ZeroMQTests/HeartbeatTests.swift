import Scorecard
import TestSupport
import Testing
import ZeroMQ

@Suite("Heartbeats", .timeLimit(.minutes(30)))
struct HeartbeatTests {
    private static func options(_ kind: SocketOptions, beating: Bool) -> SocketOptions {
        var options = kind
        options.heartbeats = Heartbeats(
            interval: .milliseconds(50),
            timeout: .milliseconds(150),
            timeToLive: .milliseconds(200)
        )
        if !beating { options.heartbeats = nil }
        options.reconnectInterval = .milliseconds(10)
        return options
    }

    @Test("are off unless they are asked for")
    func defaults() {
        for options in [
            SocketOptions(for: Router.self), SocketOptions(for: Dealer.self), SocketOptions(for: XPub.self),
            SocketOptions(for: Sub.self), SocketOptions(for: Push.self),
        ] {
            #expect(options.heartbeats == nil)
        }
    }

    @Test("tell the peer a time of at most 65535.99 tenths of a second, as libzmq can send it")
    func longest() async throws {
        try await withReactor { reactor in
            var options = SocketOptions(for: Dealer.self)
            options.heartbeats = Heartbeats(timeToLive: .milliseconds(6_553_599))
            await reactor.close(try await reactor.open(Dealer.self, options: options))
            options.heartbeats = Heartbeats(timeToLive: .milliseconds(6_553_600))
            let error = await #expect(throws: ZeroMQError.self) {
                try await reactor.open(Dealer.self, options: options)
            }
            #expect(error?.code == .invalidOption)
            #expect(error?.next.contains("6553599") == true)
        }
    }

    @Test(
        "are what a stalled consumer does not answer: with them it is disconnected, without them nothing is lost",
        .scorecard(9)
    )
    func stalledConsumer() async throws {
        try await withReactor("server") { server in
            try await withReactor("client") { client in
                let beating = try await Stall(server, client, beating: true)
                let quiet = try await Stall(server, client, beating: false)
                await beating.disconnections.reach(1)
                // Stalled as long, and still connected.
                #expect(quiet.disconnections.count == 0)
                await server.resume(quiet.router)
                #expect(await quiet.received.reach(quiet.sent) == Array(0..<quiet.sent))
            }
        }
    }

    /// A ROUTER that reads nothing, and a DEALER that has sent more than the router's queue holds.
    private struct Stall {
        let router: Socket<Router>
        let disconnections = Milestone()
        let received = Record<Int>()
        /// The queues of both hold 256 each.
        let sent = 400

        init(_ server: Reactor, _ client: Reactor, beating: Bool) async throws {
            let (disconnections, received) = (disconnections, received)
            router = try await server.open(
                Router.self,
                options: options(SocketOptions(for: Router.self), beating: beating)
            )
            try await server.observe(router) { event in
                if case .disconnected = event { disconnections.advance() }
            }
            let endpoint = try await server.bind(router, to: LocalEndpoint("tcp://127.0.0.1:*"))
            await server.receive(router) { message in received.add(message.number) }
            await server.pause(router)
            let dealer = try await client.dial(
                endpoint,
                options: options(SocketOptions(for: Dealer.self), beating: beating)
            )
            await client.writable(dealer)
            for number in 0..<sent {
                while await client.send(.large(number), on: dealer) != .sent { await client.passTurns(1) }
            }
        }
    }
}

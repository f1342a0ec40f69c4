import Scorecard
import TestSupport
import Testing

@testable import ZeroMQ

@Suite("The events of a socket", .timeLimit(.minutes(30)))
struct EventTests {
    @Test("tell the life of a connection from both sides")
    func life() async throws {
        try await withReactor("server") { server in
            let router = try await server.open(Router.self)
            let theirs = Record<SocketEvent.Name>()
            try await server.observe(router) { event in theirs.add(event.name) }
            let endpoint = try await server.bind(router, to: LocalEndpoint("tcp://127.0.0.1:*"))
            try await withReactor("client") { client in
                let dealer = try await client.open(Dealer.self)
                let ours = Record<SocketEvent.Name>()
                try await client.observe(dealer) { event in ours.add(event.name) }
                try await client.connect(dealer, to: endpoint)
                #expect(await ours.reach(3) == [.connectDelayed, .connected, .handshakeSucceeded])
                #expect(await theirs.reach(3) == [.listening, .accepted, .handshakeSucceeded])
            }
            #expect(await theirs.reach(4).last == .disconnected)
            try await server.unbind(router, from: endpoint)
            #expect(await theirs.reach(5).last == .closed)
        }
    }

    @Test("tell of attempts that fail, and of what the endpoint was")
    func retries() async throws {
        try await withReactor { reactor in
            var options = SocketOptions(for: Dealer.self)
            options.reconnectInterval = .milliseconds(1)
            let dealer = try await reactor.open(Dealer.self, options: options)
            let events = try await reactor.events(of: dealer)
            let directory = try TemporaryDirectory()
            let endpoint = try Endpoint("ipc://\(directory.path)/nobody")
            try await reactor.connect(dealer, to: endpoint)
            let retry = await events.first { if case .connectRetried = $0 { true } else { false } }
            guard case .connectRetried(endpoint.text, let pause) = retry else {
                Issue.record("\(String(describing: retry))")
                return
            }
            #expect(pause >= .milliseconds(1))
        }
    }

    @Test("may close the socket from within its own end, and harm no other one")
    func reentrant() async throws {
        try await withReactor { reactor in
            for _ in 0..<10 {
                let router = try await reactor.open(Router.self)
                try await reactor.run { reactor throws(ZeroMQError) in
                    try reactor.observe(router) { event in
                        if case .closed = event { reactor.close(router) }
                    }
                }
                let endpoint = try await reactor.bind(router, to: LocalEndpoint("tcp://127.0.0.1:*"))
                if Bool.random() { try await reactor.unbind(router, from: endpoint) }
                await reactor.close(router)
                // Two sockets in one place would share a token.
                let others = [try await reactor.open(Router.self), try await reactor.open(Router.self)]
                for other in others { try await reactor.bind(other, to: LocalEndpoint("tcp://127.0.0.1:*")) }
                for other in others { await reactor.close(other) }
            }
        }
    }

    @Test("go to the latest who asked for them, and the sequence of an earlier one ends")
    func replaced() async throws {
        try await withReactor { reactor in
            let router = try await reactor.open(Router.self)
            let first = try await reactor.events(of: router)
            let second = try await reactor.events(of: router)
            for await event in first { Issue.record("\(event)") }
            try await reactor.observe(router) { _ in }
            for await event in second { Issue.record("\(event)") }
        }
    }

    @Test("end with the socket")
    func end() async throws {
        try await withReactor { reactor in
            let router = try await reactor.open(Router.self)
            let events = try await reactor.events(of: router)
            try await reactor.bind(router, to: LocalEndpoint("tcp://127.0.0.1:*"))
            await reactor.close(router)
            var names: [SocketEvent.Name] = []
            for await event in events { names.append(event.name) }
            #expect(names == [.listening, .closed])
            let none = try await reactor.events(of: router)
            for await event in none { Issue.record("\(event)") }
        }
    }

    @Test("go on while reception is stopped, and so do subscriptions and authentication")
    func stalledConsumer() async throws {
        let (server, client) = (KeyPair(), KeyPair())
        try await withReactor("server") { reactor in
            let authenticator = try await reactor.authenticate(AllowedKeys([client.publicKey]))
            let router = try await reactor.open(Router.self)
            let events = Record<SocketEvent.Name>()
            try await reactor.observe(router) { event in events.add(event.name) }
            let endpoint = try await reactor.bind(
                router,
                to: Endpoint("tcp://127.0.0.1:*"),
                as: CurveServer(keys: server, authenticator: authenticator)
            )
            let received = Record<Int>()
            await reactor.receive(router) { message in received.add(message.number) }
            await reactor.pause(router)
            let xpub = try await reactor.open(XPub.self)
            let publishing = try await reactor.bind(xpub, to: LocalEndpoint("tcp://127.0.0.1:*"))

            try await withReactor("clients") { clients in
                // The one who fills the queue,
                let identity = CurveClient(keys: client, server: server.publicKey)
                let filler = try await clients.open(Dealer.self)
                try await clients.connect(filler, to: endpoint, as: identity)
                await clients.writable(filler)
                var taken = 0
                while await clients.send(Message.large(taken), on: filler) == .sent { taken += 1 }
                // another one who comes in meanwhile,
                let second = try await clients.open(Dealer.self)
                let theirs = Record<SocketEvent.Name>()
                try await clients.observe(second) { event in theirs.add(event.name) }
                try await clients.connect(second, to: endpoint, as: identity)
                #expect(await theirs.reach(3).last == .handshakeSucceeded)
                while events.values.count(where: { $0 == .handshakeSucceeded }) < 2 { await reactor.passTurns(1) }
                // and a subscriber.
                let sub = try await clients.open(Sub.self)
                await clients.receive(sub) { _ in }
                try await clients.connect(sub, to: publishing)
                try await clients.subscribe(sub, to: [.everything], within: .seconds(30))

                #expect(received.values.isEmpty)
                await reactor.resume(router)
                #expect(await received.reach(taken) == Array(0..<taken))
            }
        }
    }
}

@Suite("A listener that cannot accept")
struct ListenerBreakerTests {
    private var breaker = ListenerBreaker()
    private let start = ContinuousClock.now

    private mutating func fail(_ milliseconds: Int) -> Duration? {
        breaker.failed(at: start + .milliseconds(milliseconds), patience: .seconds(1))
    }

    @Test("is closed when that lasts, not at the first failure")
    mutating func patience() {
        #expect(fail(0) == nil)
        #expect(fail(500) == nil)
        #expect(fail(999) == nil)
        #expect(fail(1000) == .seconds(1))
        #expect(breaker.isOpen)
        #expect(fail(1001) == nil, "It is closed already.")
    }

    @Test("is given a new chance after a quiet moment")
    mutating func quiet() {
        #expect(fail(0) == nil)
        #expect(fail(900) == nil)
        #expect(fail(1900) == nil)
        #expect(fail(2800) == nil)
        #expect(fail(2900) == .seconds(1))
    }

    @Test("is closed for longer each time, up to half a minute, and for a second after a long peace")
    mutating func pauses() {
        var pauses: [Duration] = []
        var time = 0
        for _ in 0..<7 {
            _ = fail(time)
            _ = fail(time + 600)
            if let pause = fail(time + 1200) { pauses.append(pause) }
            // It comes back after its pause and fails again at once.
            time += 1_200 + Int((pauses.last ?? .zero) / .milliseconds(1))
            breaker.closed(at: start + .milliseconds(time))
        }
        #expect(pauses == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
        time += 60_000
        _ = fail(time)
        _ = fail(time + 600)
        #expect(fail(time + 1200) == .seconds(1))
    }
}

@Suite("A process without descriptors", .scorecard(11), .timeLimit(.minutes(30)))
struct ExhaustionTests {
    @Test("closes its listener instead of spinning, and is there again")
    func breaker() async {
        await #expect(processExitsWith: .success) { try await exhaustAndRecover() }
    }

    @Test("has had its limit raised as far as the system allows")
    func limit() async {
        await #expect(processExitsWith: .success) {
            try setSoftLimit(256)
            ServerProcess.prepare(openFiles: 512)
            guard softLimit() == 512 else { fatalError("The limit is \(softLimit()).") }
            // What is higher already stays.
            ServerProcess.prepare(openFiles: 300)
            guard softLimit() == 512 else { fatalError("The limit was lowered to \(softLimit()).") }
        }
    }
}

/// Runs in a process of its own: uses every descriptor up, sees the listener closed, gives them back, and is served.
private func exhaustAndRecover() async throws {
    try await withReactor("server") { reactor in
        var options = SocketOptions(for: Router.self)
        options.acceptFailurePatience = .milliseconds(50)
        let router = try await reactor.open(Router.self, options: options)
        let events = try await reactor.events(of: router)
        let endpoint = try await reactor.bind(router, to: LocalEndpoint("tcp://127.0.0.1:*"))
        await reactor.echo(router)
        let port = UInt16(endpoint.text.split(separator: ":").last ?? "") ?? 0
        let client = try Reactor(label: "client")
        let dealer = try await client.open(Dealer.self)
        let waiting = RawConnection()
        let fillers = fillDescriptors()
        waiting.connect(port: port)
        // In this order: it fails for a while, then the listener goes, then it comes back.
        for await event in events { if event.name == .acceptFailed { break } }
        for await event in events { if event.name == .closed { break } }
        closeDescriptors(fillers)
        for await event in events { if event.name == .listening { break } }
        let echo = EchoClient(count: 100, window: 4)
        await client.begin(echo, on: dealer)
        try await client.connect(dealer, to: endpoint)
        await echo.done.reach(1)
        await client.shutDown()
        guard echo.mistakes == 0 else { fatalError("\(echo.mistakes) wrong answers.") }
    }
}

extension SocketEvent {
    /// What happened, without where.
    enum Name {
        case listening, bindFailed, accepted, acceptFailed, connected, connectDelayed, connectRetried
        case handshakeSucceeded, handshakeFailed, disconnected, closed, other
    }

    var name: Name {
        switch self {
        case .listening: .listening
        case .bindFailed: .bindFailed
        case .accepted: .accepted
        case .acceptFailed: .acceptFailed
        case .connected: .connected
        case .connectDelayed: .connectDelayed
        case .connectRetried: .connectRetried
        case .handshakeSucceeded: .handshakeSucceeded
        case .handshakeFailed: .handshakeFailed
        case .disconnected: .disconnected
        case .closed: .closed
        case .other: .other
        }
    }
}

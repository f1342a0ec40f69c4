import ForgeBusClient
import ForgeBusProtocol
import TestSupport
import Testing
import ZeroMQ

@Suite("A publisher", .timeLimit(.minutes(30)))
struct PublisherTests {
    @Test("publishes from any thread without waiting, in one row a topic, and counts what it dropped")
    func publishes() async throws {
        let publisher = try await BusPublisher(bind: [Endpoint("tcp://127.0.0.1:*")], source: "shop")
        let reactor = try Reactor(label: "subscriber")
        let received = Record<Publication>()
        let socket = try await reactor.open(Sub.self)
        await reactor.receive(socket) { message in
            guard let publication = try? Publication(decoding: (0..<message.count).map { message[$0] }) else { return }
            received.add(publication)
        }
        try await reactor.connect(socket, to: #require(publisher.endpoints.first))
        try await reactor.subscribe(socket, to: [.everything])
        try await publisher.awaitFollowers(of: "t", within: .seconds(30))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<500 { try? publisher.publish("t", body: 7, traceparent: "00-1") } }
            }
        }
        let all = await received.reach(2_000)
        #expect(all.map(\.origin?.sequence) == (1...2_000).map { UInt64($0) })
        #expect(Set(all.map(\.origin?.epoch)).count == 1)
        #expect(Set(all.map(\.id)).count == 2_000)
        #expect(all.allSatisfy { $0.topic == "t" && $0.body == Array("7".utf8) && $0.source == "shop" })
        #expect(all.allSatisfy { $0.traceparent == "00-1" })
        #expect(publisher.dropped == 0)
        await publisher.close()
        await reactor.shutDown(flushing: .zero)
    }

    @Test("connects again after a handshake that failed for good, and not for want of a key")
    func connectsAgain() async throws {
        let place = try Place()
        let path = String(place.endpoint.text.dropFirst("ipc://".count))
        let stranger = try #require(StrangeListener(path: path))
        let publisher = try await BusPublisher(connect: [place.endpoint], logger: .silent)
        await stranger.turnAwayOne()
        let reactor = try Reactor(label: "subscriber")
        let socket = try await reactor.open(Sub.self)
        try await reactor.bind(socket, to: LocalEndpoint(place.endpoint))
        try await reactor.subscribe(socket, to: [.everything])
        try await publisher.awaitFollowers(of: "t", within: .seconds(30))
        await publisher.close()
        await reactor.shutDown(flushing: .zero)
    }

    @Test("with keys lets in only those it names, also one that it names later, and tells a wait whom it refused")
    func admits() async throws {
        let (own, first, second) = (KeyPair(), KeyPair(), KeyPair())
        let admitted = AllowedKeys([first.publicKey])
        let log = Record<String>()
        let publisher = try await BusPublisher(
            bind: [Endpoint("tcp://127.0.0.1:*")],
            as: own,
            admitting: admitted,
            logger: log.logger { event in event.metadata?["subscriber_key"].map { "\(event.level) \($0)" } }
        )
        let endpoint = try #require(publisher.endpoints.first)
        let follower = try await Follower(endpoint, as: CurveClient(keys: first, server: own.publicKey))
        try await publisher.awaitFollowers(of: "t", within: .seconds(60))
        let stranger = try await Follower(endpoint, as: CurveClient(keys: second, server: own.publicKey))
        #expect(await log.reach(1) == ["warning \(second.publicKey)"], "its own test with an unknown key is not told")
        let late = await #expect(throws: BusError.self) {
            try await publisher.awaitFollowers(of: "t", atLeast: 2, within: .milliseconds(1))
        }
        #expect(late?.code == .timeout && late?.message.contains("\(second.publicKey)") == true)
        try publisher.publish("t", bytes: Array("é".utf8))
        #expect(await follower.received.reach(1).map(\.body) == [Array("é".utf8)])
        admitted.insert(second.publicKey)
        let again = try await Follower(endpoint, as: CurveClient(keys: second, server: own.publicKey))
        try await publisher.awaitFollowers(of: "t", atLeast: 2, within: .seconds(60))
        #expect(stranger.received.count == 0 && log.count == 1)
        for follower in [follower, stranger, again] { await follower.close() }
        await publisher.close()
    }

    @Test("counts a follower once, however often it has connected")
    func counts() async throws {
        let publisher = try await BusPublisher(bind: [Endpoint("tcp://127.0.0.1:*")])
        let endpoint = try #require(publisher.endpoints.first)
        let other = try await Follower(endpoint)
        for _ in 0..<5 {
            let follower = try await Follower(endpoint)
            try await publisher.awaitFollowers(of: "t", atLeast: 2, within: .seconds(60))
            await follower.close()
            while try await publisher.followers(of: "t") > 1 { try Task.checkCancellation() }
        }
        #expect(try await publisher.followers(of: "u") == 0)
        await other.close()
        await publisher.close()
    }

    @Test("keeps a key out that subscribes to more topics than it may; the others connect again and hear it")
    func bounded() async throws {
        let (own, greedy, good) = (KeyPair(), KeyPair(), KeyPair())
        let log = Record<String>()
        let publisher = try await BusPublisher(
            bind: [Endpoint("tcp://127.0.0.1:*")],
            as: own,
            admitting: AllowedKeys([greedy.publicKey, good.publicKey]),
            logger: log.logger { event in event.metadata?["subscriber_key"].map { "\(event.level) \($0)" } }
        )
        let endpoint = try #require(publisher.endpoints.first)
        let follower = try await Follower(endpoint, as: CurveClient(keys: good, server: own.publicKey))
        // As many as it may have, with its own sentinel; the same ones of another connection count once.
        let most = Set((1..<BusPublisher.subscriptionsPerKey).map { "u\($0)" })
        let first = try await Follower(endpoint, as: CurveClient(keys: greedy, server: own.publicKey), to: most)
        try await publisher.awaitFollowers(of: "u999", within: .seconds(60))
        try await publisher.awaitFollowers(of: "t", within: .seconds(60))
        #expect(log.count == 0)
        try await first.follow(["v1", "v2"])
        let told = await log.reach(2)
        #expect(
            told == ["error \(greedy.publicKey)", "warning \(greedy.publicKey)"],
            "kept out, and refused when it returns"
        )
        while try await publisher.followers(of: "u999") > 0 { try Task.checkCancellation() }
        try await publisher.awaitFollowers(of: "t", within: .seconds(60))
        try publisher.publish("t")
        await follower.received.reach(1)
        #expect(first.received.count == 0)
        await first.close()
        await follower.close()
        await publisher.close()
    }

    @Test("whom nobody follows publishes into nothing, and says so to whoever waits for followers")
    func nobody() async throws {
        let publisher = try await BusPublisher(bind: [Endpoint("tcp://127.0.0.1:*")])
        try publisher.publish("t")
        #expect(try await code { try await publisher.awaitFollowers(of: "t", within: .zero) } == .timeout)
        await publisher.close()
    }

    @Test("takes no body over a mebibyte, and nothing after it was closed")
    func refuses() async throws {
        let publisher = try await BusPublisher(connect: [])
        let body = JSONValue.string(String(repeating: "x", count: 1 << 20))
        #expect(try await code { try publisher.publish("t", body: body) } == .tooLarge)
        await publisher.close()
        #expect(try await code { try publisher.publish("t") } == .closed)
        #expect(try await code { try await publisher.awaitFollowers(of: "t", within: .seconds(30)) } == .closed)
    }

    @Test(
        "does not begin at an endpoint that is open to strangers, or taken, or no place to connect to"
    )
    func endpoints() async throws {
        let open = try Endpoint("tcp://0.0.0.0:*")
        #expect(try await code { _ = try await BusPublisher(bind: [open]) } == .unreachable)
        let first = try await BusPublisher(bind: [Endpoint("tcp://127.0.0.1:*")])
        #expect(try await code { _ = try await BusPublisher(bind: first.endpoints) } == .unreachable)
        #expect(try await code { _ = try await BusPublisher(connect: [open]) } == .unreachable)
        await first.close()
    }
}

/// Subscribes to topics and keeps what comes, as a worker does.
private struct Follower {
    let received = Record<Publication>()
    private let reactor: Reactor
    private let socket: Socket<Sub>

    init(_ endpoint: Endpoint, as identity: CurveClient? = nil, to topics: Set<String> = ["t"]) async throws {
        reactor = try Reactor(label: "follower")
        var options = SocketOptions(for: Sub.self)
        options.maximumReconnectInterval = .seconds(1)
        socket = try await reactor.open(Sub.self, options: options)
        await reactor.receive(socket) { [received] message in
            guard let publication = try? Publication(decoding: (0..<message.count).map { message[$0] }) else { return }
            received.add(publication)
        }
        if let identity {
            try await reactor.connect(socket, to: endpoint, as: identity)
        } else {
            try await reactor.connect(socket, to: endpoint)
        }
        try await follow(topics)
    }

    func follow(_ topics: Set<String>) async throws {
        try await reactor.subscribe(socket, to: Set(topics.map { try TopicPrefix($0) }))
    }

    func close() async { await reactor.shutDown(flushing: .zero) }
}

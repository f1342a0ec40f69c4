import ForgeBusClient
import ForgeBusProtocol
import TestSupport
import Testing
import ZeroMQ

@Suite("A publisher", .timeLimit(.minutes(30)))
struct PublisherTests {
    @Test("publishes from any thread without waiting, in one row a topic, and counts what it dropped")
    func publishes() async throws {
        let publisher = try await BusPublisher(bindingAt: [Endpoint("tcp://127.0.0.1:*")], source: "shop")
        let reactor = try Reactor(label: "subscriber")
        let received = Record<Publication>()
        let socket = try await reactor.open(Sub.self)
        await reactor.receive(socket) { _, message in
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
        let publisher = try await BusPublisher(connectingTo: [place.endpoint], logger: .silent)
        await stranger.turnAwayOne()
        let reactor = try Reactor(label: "subscriber")
        let socket = try await reactor.open(Sub.self)
        try await reactor.bind(socket, to: LocalEndpoint(place.endpoint))
        try await reactor.subscribe(socket, to: [.everything])
        try await publisher.awaitFollowers(of: "t", within: .seconds(30))
        await publisher.close()
        await reactor.shutDown(flushing: .zero)
    }

    @Test("whom nobody follows publishes into nothing, and says so to whoever waits for followers")
    func nobody() async throws {
        let publisher = try await BusPublisher(bindingAt: [Endpoint("tcp://127.0.0.1:*")])
        try publisher.publish("t")
        #expect(try await code { try await publisher.awaitFollowers(of: "t", within: .zero) } == .timeout)
        await publisher.close()
    }

    @Test("takes no body over a mebibyte, and nothing after it was closed")
    func refuses() async throws {
        let publisher = try await BusPublisher()
        let body = JSONValue.string(String(repeating: "x", count: 1 << 20))
        #expect(try await code { try publisher.publish("t", body: body) } == .tooLarge)
        await publisher.close()
        #expect(try await code { try publisher.publish("t") } == .closed)
        #expect(try await code { try await publisher.awaitFollowers(of: "t", within: .seconds(30)) } == .closed)
    }

    @Test(
        "does not begin at an endpoint that is open to strangers, or taken, or no place to connect to, nor at any with keys"
    )
    func endpoints() async throws {
        let open = try Endpoint("tcp://0.0.0.0:*")
        #expect(try await code { _ = try await BusPublisher(bindingAt: [open]) } == .unreachable)
        let first = try await BusPublisher(bindingAt: [Endpoint("tcp://127.0.0.1:*")])
        #expect(try await code { _ = try await BusPublisher(bindingAt: first.endpoints) } == .unreachable)
        #expect(try await code { _ = try await BusPublisher(connectingTo: [open]) } == .unreachable)
        let identity = CurveClient(keys: KeyPair(), server: KeyPair().publicKey)
        let free = try Endpoint("tcp://127.0.0.1:*")
        #expect(try await code { _ = try await BusPublisher(bindingAt: [free], as: identity) } == .unreachable)
        await first.close()
    }
}

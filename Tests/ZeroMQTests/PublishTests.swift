import TestSupport
import Testing

@testable import ZeroMQ

@Suite("Publishing and subscribing", .timeLimit(.minutes(30)))
struct PublishTests {
    @Test("over every pair of sockets brings what was subscribed to, and nothing beside it")
    func topics() async throws {
        try await withReactor { reactor in
            try await reactor.check(Pub.self, Sub.self)
            try await reactor.check(Pub.self, XSub.self)
            try await reactor.check(XPub.self, Sub.self)
            try await reactor.check(XPub.self, XSub.self)
        }
    }

    @Test("loses nothing after a subscription is known: 300 joins with 200 topics each")
    func welcomeRace() async throws {
        try await withReactor("publisher") { publisher in
            let xpub = try await publisher.open(XPub.self)
            let endpoint = try await publisher.bind(xpub, to: LocalEndpoint("tcp://127.0.0.1:*"))
            try await withReactor("subscriber") { subscriber in
                for join in 0..<300 {
                    let sub = try await subscriber.open(Sub.self)
                    let messages = sub.messages
                    try await subscriber.connect(sub, to: endpoint)
                    let topics = try (0..<200).map { try TopicPrefix("join.\(join).\($0)") }
                    try await subscriber.subscribe(sub, to: Set(topics), within: .seconds(240))
                    // Right now, and under each topic: what is not known yet would be dropped without a word.
                    await publisher.publish(Message(number: join), under: topics, on: xpub)
                    var received = Set<String>()
                    for await message in messages.prefix(200) {
                        received.insert(String(decoding: message[0], as: UTF8.self))
                    }
                    #expect(received.symmetricDifference(topics.map(\.description)).isEmpty)
                    await subscriber.close(sub)
                }
            }
        }
    }

    @Test("makes 5,000 subscriptions known, all of them")
    func manySubscriptions() async throws {
        try await withReactor("publisher") { publisher in
            let xpub = try await publisher.open(XPub.self)
            let endpoint = try await publisher.bind(xpub, to: LocalEndpoint("tcp://127.0.0.1:*"))
            try await withReactor("subscriber") { subscriber in
                let topics = try (0..<5_000).map { try TopicPrefix("topic.\($0)") }
                let sub = try await subscriber.open(Sub.self)
                await subscriber.receive(sub) { _ in }
                // Before it is connected, so that they all wait in its queue.
                try await subscriber.subscribe(sub, to: Set(topics))
                try await subscriber.connect(sub, to: endpoint)
                try await subscriber.subscribe(sub, to: [], within: .seconds(240))
                #expect(await publisher.subscriptionCount(for: topics, on: xpub) == 5_000)
            }
        }
    }

    @Test("says again that it is known after each reconnection")
    func reconnection() async throws {
        try await withReactor("subscriber") { subscriber in
            var options = SocketOptions(for: Sub.self)
            options.reconnectInterval = .milliseconds(10)
            let sub = try await subscriber.open(Sub.self, options: options)
            let (known, received) = (Milestone(), Record<Int>())
            await subscriber.receive(sub) { message in received.add(message.number(at: 1)) }
            await subscriber.onSubscribed(sub) { known.advance() }
            // Many, so that they do not all arrive at once: libzmq sends them again in the order of their bytes.
            let topics = try [TopicPrefix("job")] + (0..<5_000).map { try TopicPrefix("topic.\($0)") }
            try await subscriber.subscribe(sub, to: Set(topics))
            // Not over tcp, where a process that another test starts may hold a copy of the listener for a moment.
            let directory = try TemporaryDirectory()
            let endpoint = try Endpoint("ipc://\(directory.path)/socket")
            for life in 1...5 {
                try await withReactor("publisher") { publisher in
                    let xpub = try await publisher.open(XPub.self)
                    let bound = try await publisher.bind(xpub, to: LocalEndpoint(endpoint))
                    if life == 1 { try await subscriber.connect(sub, to: bound) }
                    await known.reach(life)
                    #expect(await publisher.subscriptionCount(for: topics, on: xpub) == 5_001)
                    await publisher.publish(Message(number: life), under: try TopicPrefix("job.1"), on: xpub)
                    _ = await received.reach(life)
                }
            }
            #expect(received.values == [1, 2, 3, 4, 5])
        }
    }

    @Test("by a publisher that connects waits for the subscribers")
    func connectingPublisher() async throws {
        try await withReactor { reactor in
            let sub = try await reactor.open(Sub.self)
            let received = Record<Int>()
            await reactor.receive(sub) { message in received.add(message.number(at: 1)) }
            try await reactor.subscribe(sub, to: [TopicPrefix("job")])
            let endpoint = try await reactor.bind(sub, to: LocalEndpoint("tcp://127.0.0.1:*"))
            let topic = try TopicPrefix("job.1")
            let xpub = try await reactor.open(XPub.self)
            let early = await #expect(throws: ZeroMQError.self) {
                try await reactor.awaitSubscriptions(to: topic, on: xpub, within: .zero)
            }
            #expect(early?.code == .deadline)
            let cancelled = Task {
                await #expect(throws: ZeroMQError.self) {
                    try await reactor.awaitSubscriptions(to: topic, on: xpub, within: .seconds(3600))
                }
            }
            cancelled.cancel()
            #expect(await cancelled.value?.code == .cancelled)
            try await reactor.connect(xpub, to: endpoint)
            try await reactor.awaitSubscriptions(to: topic, on: xpub, within: .seconds(240))
            await reactor.publish(Message(number: 7), under: topic, on: xpub)
            #expect(await received.reach(1) == [7])
        }
    }

    @Test("tells who came and who went, and counts each")
    func subscribers() async throws {
        try await withReactor { reactor in
            let xpub = try await reactor.open(XPub.self)
            let events = Record<SubscriberEvent>()
            await reactor.receive(xpub) { event in events.add(event) }
            let endpoint = try await reactor.bind(xpub, to: LocalEndpoint("tcp://127.0.0.1:*"))
            let topic = try TopicPrefix("a.b")
            for _ in 0..<2 {
                let sub = try await reactor.open(Sub.self)
                await reactor.receive(sub) { _ in }
                try await reactor.connect(sub, to: endpoint)
                try await reactor.subscribe(sub, to: [TopicPrefix("a"), .everything], within: .seconds(240))
                // Again is no second subscription.
                try await reactor.subscribe(sub, to: [TopicPrefix("a")], within: .seconds(240))
                #expect(await reactor.subscriptionCount(for: topic, on: xpub) == 2)
                try await reactor.unsubscribe(sub, from: [.everything])
                try await reactor.subscribe(sub, to: [], within: .seconds(240))
                #expect(await reactor.subscriptionCount(for: topic, on: xpub) == 1)
                await reactor.close(sub)
                _ = await events.reach(events.values.count.isMultiple(of: 4) ? events.values.count : 4)
                while await reactor.subscriptionCount(for: topic, on: xpub) > 0 { await reactor.passTurns(1) }
            }
            let (a, all) = ([UInt8]("a.".utf8), [UInt8]())
            let one: Set<SubscriberEvent> = [
                .subscribed(prefix: a), .subscribed(prefix: all), .unsubscribed(prefix: a), .unsubscribed(prefix: all),
            ]
            #expect(events.values.count == 8)
            #expect(Set(events.values) == one, "Sentinels are nobody's news.")
        }
    }

    @Test("arrives whatever its bytes are, and a subscription asks for no echo that nobody waits for")
    func ordinary() async throws {
        try await withReactor { reactor in
            let xpub = try await reactor.open(XPub.self)
            let events = Record<SubscriberEvent>()
            await reactor.receive(xpub) { event in events.add(event) }
            let sub = try await reactor.open(Sub.self)
            let received = Record<Message>()
            await reactor.receive(sub) { message in received.add(message) }
            try await reactor.connect(sub, to: try await reactor.bind(xpub, to: LocalEndpoint("inproc://ordinary")))
            try await reactor.subscribe(sub, to: [.everything], within: .seconds(240))
            let messages = [16, 17, 32, 33].map { Message([[UInt8](repeating: 0xFF, count: $0)]) }
            for message in messages { await reactor.send(message, on: xpub) }
            #expect(await received.reach(4) == messages)
            // The echo of the first subscription was asked for, and ends with the next change.
            try await reactor.subscribe(sub, to: [TopicPrefix("a")])
            _ = await events.reach(2)
            #expect(await reactor.hasSentinel(sub) == false)
        }
    }

    @Test("shows nobody the echo that another one asked for")
    func foreignSentinels() async throws {
        try await withReactor { reactor in
            let xpub = try await reactor.open(XPub.self)
            let endpoint = try await reactor.bind(xpub, to: LocalEndpoint("inproc://echoes"))
            let all = try await reactor.open(Sub.self)
            let received = Record<Message>()
            await reactor.receive(all) { message in received.add(message) }
            try await reactor.connect(all, to: endpoint)
            try await reactor.subscribe(all, to: [.everything], within: .seconds(240))
            let other = try await reactor.open(Sub.self)
            await reactor.receive(other) { _ in }
            try await reactor.connect(other, to: endpoint)
            for _ in 0..<10 { try await reactor.subscribe(other, to: [TopicPrefix("x")], within: .seconds(240)) }
            await reactor.publish(Message(number: 1), under: try TopicPrefix("last"), on: xpub)
            #expect(await received.reach(1).count == 1)
        }
    }

    @Test("goes upstream, too, where the sockets can")
    func upstream() async throws {
        try await withReactor { reactor in
            let xpub = try await reactor.open(XPub.self)
            let events = Record<SubscriberEvent>()
            await reactor.receive(xpub) { event in events.add(event) }
            let xsub = try await reactor.open(XSub.self)
            await reactor.receive(xsub) { _ in }
            try await reactor.connect(xsub, to: try await reactor.bind(xpub, to: LocalEndpoint("inproc://upstream")))
            await reactor.send(Message(number: 42), on: xsub)
            #expect(await events.reach(1) == [.message(Message(number: 42))])
        }
    }

    @Test("waits in vain for a publisher that does not answer, or is closed")
    func vain() async throws {
        try await withReactor { reactor in
            let sub = try await reactor.open(Sub.self)
            await reactor.receive(sub) { _ in }
            let late = await #expect(throws: ZeroMQError.self) {
                try await reactor.subscribe(sub, to: [.everything], within: .milliseconds(10))
            }
            #expect(late?.code == .deadline)
            let waiting = Task { try await reactor.subscribe(sub, to: [.everything], within: .seconds(3600)) }
            while await !reactor.hasSubscriptionWaits(sub) { await reactor.passTurns(1) }
            await reactor.close(sub)
            let closed = await #expect(throws: ZeroMQError.self) { try await waiting.value }
            #expect(closed?.code == .closed)
        }
    }

    @Test("is under a topic that ends in a separator", arguments: ["job.1", "job.1."])
    func topicText(_ text: String) throws {
        #expect(try TopicPrefix(text).description == "job.1.")
    }

    @Test("is under no topic that is none", arguments: ["", ".", "a\nb", String(repeating: "x", count: 1024)])
    func badTopic(_ text: String) {
        let error = #expect(throws: ZeroMQError.self) { try TopicPrefix(text) }
        #expect(error?.code == .invalidTopic)
    }
}

extension Message {
    /// The number in a frame.
    func number(at index: Int) -> Int { Int(String(decoding: self[index], as: UTF8.self)) ?? -1 }
}

extension Reactor {
    fileprivate func hasSentinel(_ socket: Socket<Sub>) -> Bool { sockets[socket.token]?.subscription.sentinel != nil }

    /// Counts in one go, so that nothing comes in meanwhile.
    fileprivate func subscriptionCount(for topics: [TopicPrefix], on socket: Socket<XPub>) -> Int {
        topics.reduce(0) { $0 + subscriptionCount(for: $1, on: socket) }
    }

    /// Publishes under each topic in one go.
    fileprivate func publish(_ message: Message, under topics: [TopicPrefix], on socket: Socket<XPub>) {
        for topic in topics { publish(message, under: topic, on: socket) }
    }

    fileprivate func hasSubscriptionWaits(_ socket: Socket<Sub>) -> Bool {
        sockets[socket.token]?.subscription.waits.isEmpty == false
    }

    /// Publishes under `job.1` and `job.10` to somebody who has subscribed to `job.1`.
    fileprivate func check<Publisher: PublishingSocket, Subscriber: SubscribingSocket>(
        _ publisher: Publisher.Type,
        _ subscriber: Subscriber.Type
    ) async throws {
        let pub = try open(publisher)
        let sub = try open(subscriber)
        let received = Record<Message>()
        receive(sub) { message in received.add(message) }
        try connect(sub, to: bind(pub, to: LocalEndpoint("tcp://127.0.0.1:*")))
        try subscribe(sub, to: [TopicPrefix("job.1"), TopicPrefix("ready")])
        // Not every publisher can tell that it knows, so this one speaks until it is heard; not faster than it is heard,
        // or there is no room left for the rest.
        let (ready, one, ten) = (try TopicPrefix("ready"), try TopicPrefix("job.1"), try TopicPrefix("job.10"))
        while received.values.isEmpty {
            publish(Message(number: 0), under: ready, on: pub)
            try await Task.sleep(for: .milliseconds(1))
        }
        publish(Message(number: 10), under: ten, on: pub)
        publish(Message([[], [1], []]), under: one, on: pub)
        publish(Message(number: 2), under: one, on: pub)
        while received.values.count(where: { $0[0].elementsEqual("job.1.".utf8) }) < 2 { await passTurns(1) }
        let jobs = received.values.filter { !$0[0].elementsEqual("ready.".utf8) }
        #expect(
            jobs == [Message([Array("job.1.".utf8), [], [1], []]), Message([Array("job.1.".utf8), Array("2".utf8)])]
        )
        close(pub)
        close(sub)
    }
}

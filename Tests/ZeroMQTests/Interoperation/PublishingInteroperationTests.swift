import TestSupport
import Testing
import ZeroMQ

@Suite("Publishing, with pyzmq at the other end,", .needsPython, .serialized, .timeLimit(.minutes(30)))
struct PublishingInteroperationTests {
    private let topic: TopicPrefix
    private let topicFrame: [UInt8]

    init() throws {
        topic = try TopicPrefix("news")
        topicFrame = topic.bytes
    }

    @Test("from a Pub reaches those who subscribed", arguments: ["SUB", "XSUB"], Binder.allCases)
    func pub(_ subscriber: String, _ binder: Binder) async throws {
        try await withReactor { reactor in
            let pub = try await reactor.open(Pub.self)
            try await reactor.join(pub, with: subscriber, binder) { python in
                try await python.subscribe(to: topicFrame)
                let text = Message("are you there?")
                let greeting = [topicFrame] + text
                // Nobody tells a Pub that it has a subscriber, so it greets until the greeting is heard.
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        while !Task.isCancelled {
                            await reactor.publish(text, under: topic, on: pub)
                            // No faster than it is heard, or there is no room left for what comes next.
                            try? await Task.sleep(for: .milliseconds(1))
                        }
                    }
                    let first = try await python.receive()
                    group.cancelAll()
                    #expect(first == greeting)
                }
                for message in Message.ofEveryShape { await reactor.publish(message, under: topic, on: pub) }
                for message in Message.ofEveryShape {
                    #expect(try await python.receive(skipping: greeting) == [topicFrame] + message)
                }
            }
        }
    }

    @Test("from an XPub reaches those it has heard of, and nobody else", arguments: ["SUB", "XSUB"], Binder.allCases)
    func xpub(_ subscriber: String, _ binder: Binder) async throws {
        try await withReactor { reactor in
            let xpub = try await reactor.open(XPub.self)
            let others = try TopicPrefix("others")
            try await reactor.join(xpub, with: subscriber, binder) { python in
                try await python.subscribe(to: topicFrame)
                // A bound subscriber sends its subscriptions only while it uses its socket, so it receives beforehand.
                async let first = python.receive()
                try await reactor.awaitSubscriptions(to: topic, on: xpub, within: .seconds(30))
                #expect(await reactor.subscriptionCount(for: others, on: xpub) == 0)
                await reactor.publish(Message("not for you"), under: others, on: xpub)
                for message in Message.ofEveryShape { await reactor.publish(message, under: topic, on: xpub) }
                var received = [try await first]
                while received.count < Message.ofEveryShape.count { received.append(try await python.receive()) }
                #expect(received == Message.ofEveryShape.map { [topicFrame] + $0 })
            }
        }
    }

    @Test("from a PUB reaches a Sub", arguments: Binder.allCases)
    func sub(_ binder: Binder) async throws { try await hearPub(Sub.self, binder) }

    @Test("from a PUB reaches an XSub", arguments: Binder.allCases)
    func xsub(_ binder: Binder) async throws { try await hearPub(XSub.self, binder) }

    @Test("from an XPUB reaches a Sub", arguments: Binder.allCases)
    func subOfXPub(_ binder: Binder) async throws { try await hearXPub(Sub.self, binder) }

    @Test("from an XPUB reaches an XSub", arguments: Binder.allCases)
    func xsubOfXPub(_ binder: Binder) async throws { try await hearXPub(XSub.self, binder) }

    @Test("is answered upstream by an XSub", arguments: Binder.allCases)
    func upstream(_ binder: Binder) async throws {
        try await withReactor { reactor in
            let xsub = try await reactor.open(XSub.self)
            try await reactor.subscribe(xsub, to: [topic])
            try await reactor.join(xsub, with: "XPUB", binder) { python in
                let subscription = try await python.receive()
                #expect(subscription == Message([[1] + topicFrame]))
                for message in [Message("more"), Message("more", "", "please")] {
                    #expect(await reactor.send(message, on: xsub) == .sent)
                    #expect(try await python.receive() == message)
                }
            }
        }
    }

    @Test("is answered upstream by an XSUB", arguments: Binder.allCases)
    func upstreamToOurs(_ binder: Binder) async throws {
        try await withReactor { reactor in
            let xpub = try await reactor.open(XPub.self)
            let (events, continuation) = AsyncStream.makeStream(of: SubscriberEvent.self)
            await reactor.receive(xpub) { event in continuation.yield(event) }
            try await reactor.join(xpub, with: "XSUB", binder) { python in
                // What an XSUB sends before it is connected is lost.
                _ = try await python.event("HANDSHAKE_SUCCEEDED")
                try await python.subscribe(to: topicFrame)
                try await python.send(Message("more"))
                try await python.send(Message([[0] + topicFrame]))
                let expected: [SubscriberEvent] = [
                    .subscribed(prefix: topicFrame), .message(Message("more")), .unsubscribed(prefix: topicFrame),
                ]
                #expect(try await events.next(3) == expected)
            }
        }
    }
}

extension PublishingInteroperationTests {
    private func hearPub<Kind: SubscribingSocket>(_ kind: Kind.Type, _ binder: Binder) async throws {
        try await withReactor { reactor in
            let socket = try await reactor.open(kind)
            let greeting = [topicFrame] + Message("are you there?")
            try await reactor.subscribe(socket, to: [topic])
            try await reactor.join(socket, with: "PUB", binder) { python in
                repeat { try await python.send(greeting) } while await !socket.hears(within: .milliseconds(20))
                let messages = socket.messages.filter { $0 != greeting }
                let sent = try await publishEveryShape(by: python)
                #expect(try await messages.next(sent.count) == sent)
            }
        }
    }

    private func hearXPub<Kind: SubscribingSocket>(_ kind: Kind.Type, _ binder: Binder) async throws {
        try await withReactor { reactor in
            let socket = try await reactor.open(kind)
            let messages = socket.messages
            try await reactor.subscribe(socket, to: [topic])
            try await reactor.join(socket, with: "XPUB", binder) { python in
                #expect(try await python.receive() == Message([[1] + topicFrame]))
                let sent = try await publishEveryShape(by: python)
                #expect(try await messages.next(sent.count) == sent)
            }
        }
    }

    private func publishEveryShape(by python: PythonPeer) async throws -> [Message] {
        let messages = Message.ofEveryShape.map { [topicFrame] + $0 }
        for message in messages {
            try await python.send(Message("others.", "not for you"))
            try await python.send(message)
        }
        return messages
    }
}

extension Socket where Kind: ReceivingSocket {
    /// Whether a message comes in time, which is taken.
    fileprivate func hears(within time: Duration) async -> Bool { (try? await receive(within: time)) != nil }
}

import TestSupport
import Testing
import ZeroMQ

@Suite("A subscription that is answered", .needsPython, .serialized, .timeLimit(.minutes(30)))
struct SentinelInteroperationTests {
    private let topics: Set<TopicPrefix>

    init() throws { topics = Set(try ["a", "b", "\u{10FFFF}"].map { try TopicPrefix($0) }) }

    @Test("is known to an XPUB that sends sentinels back", arguments: Binder.allCases)
    func ours(_ binder: Binder) async throws {
        try await withReactor { reactor in
            let sub = try await reactor.open(Sub.self)
            let messages = sub.messages
            try await reactor.join(sub, with: "XPUB", binder) { python in
                async let known: Void = reactor.subscribe(sub, to: topics, within: .seconds(30))
                try await answer(by: python)
                try await known
                // Another change is answered again, on the connection that is there.
                async let more: Void = reactor.subscribe(sub, to: [TopicPrefix("c")], within: .seconds(30))
                #expect(try await python.receive() == Message([[1] + Array("c.".utf8)]))
                try await sendBack(python.receive(), by: python)
                try await more
                try await python.send(Message("c.", "at once"))
                #expect(try await messages.next(1) == [Message("c.", "at once")], "The echoes are not shown.")
            }
        }
    }

    @Test("has its sentinel behind all topics, also when the connection comes later")
    func sentinelComesLast() async throws {
        try await withReactor { reactor in
            let sub = try await reactor.open(Sub.self)
            await reactor.receive(sub) { _ in }
            let (echoes, continuation) = AsyncStream.makeStream(of: Bool.self)
            await reactor.onSubscribed(sub) { continuation.yield(true) }
            try await reactor.subscribe(sub, to: topics)
            try await reactor.join(sub, with: "XPUB", .ours) { python in
                try await answer(by: python)
                #expect(try await echoes.next(1) == [true])
            }
            // Whoever comes after it gets them all again.
            try await reactor.join(sub, with: "XPUB", .ours) { python in
                try await answer(by: python)
                #expect(try await echoes.next(1) == [true])
            }
        }
    }

    @Test("is not taken for known when the XPUB sends nothing back")
    func silence() async throws {
        try await withReactor { reactor in
            let sub = try await reactor.open(Sub.self)
            await reactor.receive(sub) { _ in }
            try await reactor.join(sub, with: "XPUB", .ours) { python in
                let error = await #expect(throws: ZeroMQError.self) {
                    try await reactor.subscribe(sub, to: topics, within: .milliseconds(50))
                }
                #expect(error?.code == .deadline)
            }
        }
    }

    @Test("tells a pyzmq SUB that an XPub knows it", arguments: Binder.allCases)
    func theirs(_ binder: Binder) async throws {
        try await withReactor { reactor in
            let xpub = try await reactor.open(XPub.self)
            let events = Record<SubscriberEvent>()
            await reactor.receive(xpub) { event in events.add(event) }
            try await reactor.join(xpub, with: "SUB", binder) { python in
                let sentinel = [0xFF, 0xFF, 0xFF, 0xFF] + Array("ZMQ sentinelsixteen bytes of".utf8)
                for topic in topics { try await python.subscribe(to: topic.bytes) }
                try await python.subscribe(to: sentinel)
                #expect(try await python.receive() == Message([sentinel]))
                for topic in topics {
                    #expect(await reactor.subscriptionCount(for: topic, on: xpub) == 1)
                    await reactor.publish(Message("at once"), under: topic, on: xpub)
                    #expect(try await python.receive() == Message(topic.description, "at once"))
                }
                let prefixes = topics.map { SubscriberEvent.subscribed(prefix: $0.bytes) }
                #expect(Set(events.values) == Set(prefixes), "The sentinel is no subscription.")
            }
        }
    }

    /// Receives the topics, then the sentinel, and sends that back.
    private func answer(by python: PythonPeer) async throws {
        var received: Set<Message> = []
        for _ in topics { received.insert(try await python.receive()) }
        #expect(received == Set(topics.map { Message([[1] + $0.bytes]) }))
        try await sendBack(python.receive(), by: python)
    }

    private func sendBack(_ sentinel: Message, by python: PythonPeer) async throws {
        let frame = Array(sentinel[0])
        #expect(frame.prefix(2) == [1, 0xFF])
        try await python.send(Message([Array(frame.dropFirst())]))
    }
}

import TestSupport
import Testing

@testable import ZeroMQ

@Suite("A proxy", .timeLimit(.minutes(30)))
struct ProxyTests {
    private let patience = Duration.seconds(600)

    @Test("passes questions to workers and answers back, each to whoever asked")
    func queue() async throws {
        try await withReactor { reactor in
            let (front, back) = (try await reactor.open(Router.self), try await reactor.open(Dealer.self))
            let asking = try await reactor.bind(front, to: LocalEndpoint("tcp://127.0.0.1:*"))
            let answering = try await reactor.bind(back, to: LocalEndpoint("inproc://workers"))
            let proxy = try await reactor.proxy(front, back)
            let workers = try await (0..<3).asyncMap { _ in
                let rep = try await reactor.open(Rep.self)
                try await reactor.connect(rep, to: answering)
                return Task {
                    for await question in rep.messages {
                        try await rep.send(Message(number: -question.number), within: patience)
                    }
                }
            }
            try await withThrowingTaskGroup { group in
                for client in 0..<5 {
                    group.addTask {
                        let dealer = try await reactor.open(Dealer.self)
                        try await reactor.connect(dealer, to: asking)
                        for number in (client * 100)..<(client * 100 + 100) {
                            let answer = try await dealer.request(Message(number: number), within: patience)
                            #expect(answer.number == -number)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(await proxy.dropped == 0)
            for worker in workers { worker.cancel() }
        }
    }

    @Test("passes subscriptions to the publisher and messages back, and a copy of each to who listens in")
    func forwarder() async throws {
        try await withReactor { reactor in
            let (front, back) = (try await reactor.open(XSub.self), try await reactor.open(XPub.self))
            let (pub, sub) = (try await reactor.open(XPub.self), try await reactor.open(Sub.self))
            let (tap, listener) = (try await reactor.open(Push.self), try await reactor.open(Pull.self))
            try await reactor.connect(front, to: reactor.bind(pub, to: LocalEndpoint("inproc://publisher")))
            try await reactor.connect(sub, to: reactor.bind(back, to: LocalEndpoint("inproc://subscribers")))
            try await reactor.connect(tap, to: reactor.bind(listener, to: LocalEndpoint("inproc://tap")))
            try await reactor.proxy(front, back, capture: tap)
            let news = try TopicPrefix("news")
            // The publisher's confirmation comes through the proxy, too.
            try await reactor.subscribe(sub, to: [news], within: patience)
            for number in 0..<100 { await reactor.publish(Message(number: number), under: news, on: pub) }
            for number in 0..<100 {
                #expect(try await sub.receive(within: patience).dropFirst().number == number)
            }
            var copies: [Int] = []
            while copies.count < 100 {
                let copy = try await listener.receive(within: patience)
                if copy.count == 2 { copies.append(copy.dropFirst().number) }
            }
            #expect(copies == Array(0..<100))
        }
    }

    @Test("makes one side wait while the other has no room, and loses nothing, also when it is paused")
    func pressure() async throws {
        try await withReactor { reactor in
            let (front, back) = (try await reactor.open(Pull.self), try await reactor.open(Push.self))
            let push = try await reactor.open(Push.self)
            try await reactor.connect(push, to: reactor.bind(front, to: LocalEndpoint("inproc://in")))
            let out = try await reactor.bind(back, to: LocalEndpoint("inproc://out"))
            let proxy = try await reactor.proxy(front, back)
            var sent = 0
            // Nobody is there to take anything: the queue of the front fills, with one message in the proxy's hand.
            while await reactor.send(Message([Array("\(sent)".utf8), []]), on: push) == .sent {
                sent += 1
                await reactor.passTurns(1)
            }
            #expect(sent <= 2 * 256 + 1)
            let pull = try await reactor.open(Pull.self)
            try await reactor.connect(pull, to: out)
            for number in 0..<sent / 2 { #expect(try await pull.receive(within: patience).number == number) }
            await proxy.pause()
            try await push.send(Message(number: sent), within: patience)
            await proxy.resume()
            for number in sent / 2...sent { #expect(try await pull.receive(within: patience).number == number) }
        }
    }

    @Test("gives what it could not pass on to who receives after its stop")
    func stop() async throws {
        try await withReactor { reactor in
            // Nobody is at the back, so the proxy holds the first message in its hand.
            let (front, back) = (try await reactor.open(Pull.self), try await reactor.open(Push.self))
            let push = try await reactor.open(Push.self)
            try await reactor.connect(push, to: reactor.bind(front, to: LocalEndpoint("inproc://in")))
            _ = try await reactor.bind(back, to: LocalEndpoint("inproc://out"))
            let proxy = try await reactor.proxy(front, back)
            for number in 0..<10 {
                try await push.send(Message(number: number), within: patience)
                await reactor.passTurns(2)
            }
            await proxy.stop()
            for number in 0..<10 { #expect(try await front.receive(within: patience).number == number) }
        }
    }

    @Test("copies whole messages or nothing to who listens in slowly, and does not wait")
    func slowListener() async throws {
        try await withReactor { reactor in
            let (front, back) = (try await reactor.open(Pull.self), try await reactor.open(Push.self))
            let (push, pull) = (try await reactor.open(Push.self), try await reactor.open(Pull.self))
            var options = SocketOptions(for: Push.self)
            options.sendHighWaterMark = 1
            let tap = try await reactor.open(Push.self, options: options)
            let listener = try await reactor.open(Pull.self)
            try await reactor.connect(push, to: reactor.bind(front, to: LocalEndpoint("inproc://in")))
            try await reactor.connect(pull, to: reactor.bind(back, to: LocalEndpoint("inproc://out")))
            try await reactor.connect(tap, to: reactor.bind(listener, to: LocalEndpoint("tcp://127.0.0.1:*")))
            try await reactor.proxy(front, back, capture: tap)
            let listening = Task { for await copy in listener.messages { #expect(copy.count == 3) } }
            let sending = Task {
                for number in 0..<2_000 { try await push.send(Message("\(number)", "", "end"), within: patience) }
            }
            for number in 0..<2_000 { #expect(try await pull.receive(within: patience).number == number) }
            try await sending.value
            await reactor.close(listener)
            await listening.value
        }
    }

    @Test("counts what a router cannot pass on")
    func dropped() async throws {
        try await withReactor { reactor in
            let (front, back) = (try await reactor.open(Router.self), try await reactor.open(Dealer.self))
            let other = try await reactor.open(Dealer.self)
            try await reactor.bind(front, to: LocalEndpoint("inproc://front"))
            try await reactor.connect(other, to: reactor.bind(back, to: LocalEndpoint("inproc://back")))
            let proxy = try await reactor.proxy(front, back)
            try await other.send(Message("nobody", "", "has this id"), within: patience)
            while await proxy.dropped == 0 { await reactor.passTurns(1) }
            #expect(await proxy.dropped == 1)
        }
    }
}

@Suite("Reactors that share a context", .timeLimit(.minutes(30)))
struct SharedContextTests {
    private let patience = Duration.seconds(600)

    @Test("talk over inproc, and the context ends with the last of them")
    func share() async throws {
        let one = try Reactor(label: "one")
        let other = try Reactor(label: "other", sharing: one)
        let (pull, push) = (try await one.open(Pull.self), try await other.open(Push.self))
        try await other.connect(push, to: one.bind(pull, to: LocalEndpoint("inproc://shared")))
        let sending = Task {
            for number in 0..<1_000 { try await push.send(Message(number: number), within: patience) }
        }
        for number in 0..<1_000 { #expect(try await pull.receive(within: patience).number == number) }
        try await sending.value
        await one.shutDown()
        // The other one goes on.
        let again = try await other.open(Pull.self)
        let dealer = try await other.open(Push.self)
        try await other.connect(dealer, to: other.bind(again, to: LocalEndpoint("inproc://shared")))
        try await dealer.send(Message("still here"), within: patience)
        #expect(try await again.receive(within: patience) == Message("still here"))
        await other.shutDown()
        let late = #expect(throws: ZeroMQError.self) { try Reactor(label: "late", sharing: other) }
        #expect(late?.code == .closed)
    }

    @Test("have one authenticator, for all their sockets")
    func authenticator() async throws {
        try await withReactor("one") { one in
            let other = try Reactor(label: "other", sharing: one)
            let (server, client) = (KeyPair(), KeyPair())
            let authenticator = try await one.authenticate(AllowedKeys([client.publicKey]))
            await #expect(throws: ZeroMQError.self) { try await other.authenticate(AllowedKeys()) }
            let (pull, push) = (try await other.open(Pull.self), try await other.open(Push.self))
            let curve = CurveServer(keys: server, authenticator: authenticator)
            let endpoint = try await other.bind(pull, to: Endpoint("tcp://127.0.0.1:*"), as: curve)
            try await other.connect(push, to: endpoint, as: CurveClient(keys: client, server: server.publicKey))
            try await push.send(Message("hello"), within: patience)
            #expect(try await pull.receive(within: patience) == Message("hello"))
            await other.shutDown()
        }
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}

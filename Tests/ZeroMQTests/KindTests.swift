import Foundation
import TestSupport
import Testing

@testable import ZeroMQ

@Suite("A kind of socket", .timeLimit(.minutes(30)))
struct KindTests {
    private let patience = Duration.seconds(600)

    @Test("that asks and answers in turns says when it is not its turn, and is not stuck")
    func turns() async throws {
        try await withReactor { reactor in
            let (rep, req) = (try await reactor.open(Rep.self), try await reactor.open(Req.self))
            try await reactor.connect(req, to: reactor.bind(rep, to: LocalEndpoint("inproc://turns")))
            #expect(await reactor.send(Message("too early"), on: rep) == .refused)
            #expect(await reactor.send(Message("one"), on: req) == .sent)
            #expect(await reactor.send(Message("two"), on: req) == .refused)
            let error = await #expect(throws: ZeroMQError.self) { try await req.send(Message("two"), within: patience) }
            #expect(error?.code == .state)
            #expect(try await rep.receive(within: patience) == Message("one"))
            try await rep.send(Message("answer"), within: patience)
            #expect(try await req.receive(within: patience) == Message("answer"))
        }
    }

    @Test("refuses a message without frames, and sends the next one")
    func empty() async throws {
        try await withReactor { reactor in
            let (pull, push) = (try await reactor.open(Pull.self), try await reactor.open(Push.self))
            let (router, pub) = (try await reactor.open(Router.self), try await reactor.open(Pub.self))
            try await reactor.connect(push, to: reactor.bind(pull, to: LocalEndpoint("inproc://empty")))
            #expect(await reactor.send(Message(), on: push) == .refused)
            #expect(await reactor.send(Message(), on: router, to: PeerID(assignedNumber: 1)) == .refused)
            await reactor.publish(Message(), under: .everything, on: pub)
            let error = await #expect(throws: ZeroMQError.self) { try await push.send(Message(), within: patience) }
            #expect(error?.code == .invalidMessage)
            #expect(await reactor.send(Message("next"), on: push) == .sent)
            #expect(try await pull.receive(within: patience) == Message("next"))
        }
    }

    @Test("that has no room lets tasks wait in their order, and nobody overtakes them")
    func waiting() async throws {
        try await withReactor { reactor in
            let push = try await reactor.open(Push.self)
            let endpoint = try await reactor.bind(push, to: LocalEndpoint("inproc://waiting"))
            try await withThrowingTaskGroup { group in
                for number in 0..<100 {
                    group.addTask { try await push.send(Message(number: number), within: patience) }
                    await reactor.waitingInLine(push, number + 1)
                }
                #expect(await reactor.send(Message(number: -1), on: push) == .full)
                let pull = try await reactor.open(Pull.self)
                try await reactor.connect(pull, to: endpoint)
                for number in 0..<100 { #expect(try await pull.receive(within: patience).number == number) }
                try await group.waitForAll()
            }
            #expect(await reactor.waits.isEmpty)
        }
    }

    @Test("tells a task that waits for room that it is late, cancelled or closed, and sends nothing of it")
    func ends() async throws {
        try await withReactor { reactor in
            let push = try await reactor.open(Push.self)
            let endpoint = try await reactor.bind(push, to: LocalEndpoint("inproc://ends"))
            let late = await #expect(throws: ZeroMQError.self) {
                try await push.send(Message("late"), within: .milliseconds(1))
            }
            #expect(late?.code == .deadline)
            let cancelled = Task { try await push.send(Message("cancelled"), within: patience) }
            await reactor.waitingInLine(push, 1)
            cancelled.cancel()
            let error = await #expect(throws: ZeroMQError.self) { try await cancelled.value }
            #expect(error?.code == .cancelled)
            let pull = try await reactor.open(Pull.self)
            try await reactor.connect(pull, to: endpoint)
            try await push.send(Message("sent"), within: patience)
            #expect(try await pull.receive(within: patience) == Message("sent"))
            await reactor.close(pull)
            let closed = Task { try await push.send(Message("closed"), within: patience) }
            await reactor.passTurns(3)
            await reactor.close(push)
            // libzmq may have taken the message for the peer that had just left.
            if case .failure(let error) = await closed.result { #expect((error as? ZeroMQError)?.code == .closed) }
            #expect(await reactor.waits.isEmpty)
        }
    }

    @Test("that asks questions drops an answer that nobody waits for, and passes everything else on")
    func requests() async throws {
        try await withReactor { reactor in
            let (router, dealer) = (try await reactor.open(Router.self), try await reactor.open(Dealer.self))
            try await reactor.connect(dealer, to: reactor.bind(router, to: LocalEndpoint("inproc://requests")))
            let late = await #expect(throws: ZeroMQError.self) {
                try await dealer.request(Message("first"), within: .milliseconds(1))
            }
            #expect(late?.code == .deadline)
            let first = try await router.receive(within: patience)
            #expect(first.count == 3 && first[1].isEmpty && first.dropFirst(2) == Message("first"))
            #expect(await reactor.reply(first, to: first, on: router) == .sent)
            #expect(await reactor.reply(Message("news"), to: first, on: router) == .sent)
            async let answer = dealer.request(Message("second"), within: patience)
            let second = try await router.receive(within: patience)
            #expect(await reactor.reply(second, to: second, on: router) == .sent)
            #expect(try await answer == Message("second"))
            #expect(try await dealer.receive(within: patience) == Message("news"))
        }
    }

    @Test("has libzmq's options, which are refused with the value and what is allowed")
    func options() async throws {
        try await withReactor { reactor in
            var options = SocketOptions(for: Dealer.self)
            options[.routingID] = Array("worker-1".utf8)
            options[.typeOfService] = 0x28
            #expect(options[.typeOfService] == 0x28 && options[.affinity] == nil)
            let (router, dealer) = (
                try await reactor.open(Router.self), try await reactor.open(Dealer.self, options: options)
            )
            #expect(try await reactor.get(.routingID, of: dealer) == Array("worker-1".utf8))
            #expect(try await reactor.get(.typeOfService, of: dealer) == 0x28)
            try await reactor.connect(dealer, to: reactor.bind(router, to: LocalEndpoint("inproc://options")))
            try await dealer.send(Message("here"), within: patience)
            #expect(try await router.receive(within: patience).peer == PeerID(bytes: "worker-1".utf8))
            let error = await #expect(throws: ZeroMQError.self) {
                try await reactor.set(.routingID, to: [], on: dealer)
            }
            #expect(error?.code == .invalidOption)
            let other = await #expect(throws: ZeroMQError.self) {
                try await reactor.set(.typeOfService, to: 256, on: dealer)
            }
            #expect(other?.code == .invalidOption && other?.message.contains("256") == true)
        }
    }

    @Test("that routes can connect, and send first to a peer whose id it gives")
    func connectingRouter() async throws {
        try await withReactor { reactor in
            let (dealer, router) = (try await reactor.open(Dealer.self), try await reactor.open(Router.self))
            let endpoint = try await reactor.bind(dealer, to: LocalEndpoint("tcp://127.0.0.1:*"))
            try await reactor.set(.nextConnectID, to: Array("there".utf8), on: router)
            try await reactor.connect(router, to: endpoint)
            try await router.send(Message("hello"), to: PeerID(bytes: "there".utf8), within: patience)
            #expect(try await dealer.receive(within: patience) == Message("hello"))
            try await dealer.send(Message("welcome"), within: patience)
            #expect(try await router.receive(within: patience).peer == PeerID(bytes: "there".utf8))
        }
    }

    @Test("keeps only the latest value if it is to, also in what was read ahead")
    func conflate() async throws {
        try await withReactor { reactor in
            var options = SocketOptions(for: Pull.self)
            options[.conflate] = true
            let (pull, push) = (try await reactor.open(Pull.self, options: options), try await reactor.open(Push.self))
            try await reactor.connect(push, to: reactor.bind(pull, to: LocalEndpoint("inproc://conflate")))
            for number in 0..<10 { #expect(await reactor.send(Message(number: number), on: push) == .sent) }
            #expect(try await pull.receive(within: patience).number == 9)
            for number in 10..<20 {
                #expect(await reactor.send(Message(number: number), on: push) == .sent)
                await reactor.passTurns(2)
            }
            #expect(try await pull.receive(within: patience).number == 19)
        }
    }

    @Test("is open to everybody only where the program says so by name")
    func unauthenticated() async throws {
        try await withReactor { reactor in
            let (pull, push) = (try await reactor.open(Pull.self), try await reactor.open(Push.self))
            #expect(throws: ZeroMQError.self) { try LocalEndpoint("tcp://0.0.0.0:*") }
            let bound = try await reactor.bind(pull, to: Endpoint("tcp://0.0.0.0:*"), .unauthenticated)
            let port = try #require(bound.text.split(separator: ":").last)
            try await reactor.connect(push, to: Endpoint("tcp://127.0.0.1:\(port)"))
            try await push.send(Message("hello"), within: patience)
            #expect(try await pull.receive(within: patience) == Message("hello"))
        }
    }

    @Test("that speaks plain TCP tells who connects, and what comes, and cannot be thought encrypted")
    func stream() async throws {
        try await withReactor { reactor in
            let stream = try await reactor.open(Stream.self)
            let endpoint = try await reactor.bind(stream, to: LocalEndpoint("tcp://127.0.0.1:*"))
            let port = UInt16(endpoint.text.split(separator: ":").last ?? "") ?? 0
            let connection = try #require(RawConnection(port: port))
            let begun = try await stream.receive(within: patience)
            #expect(begun.sizeInBytes == 0)
            connection.send(Array("GET".utf8))
            let asked = try await stream.receive(within: patience)
            #expect(asked == Message("GET") && asked.peer == begun.peer)
            try await stream.send(Message("OK"), to: try #require(asked.peer), within: patience)
            #expect(connection.read(2) == Array("OK".utf8))
            #expect(await reactor.reply(Message("two", "frames"), to: asked, on: stream) == .refused)
            let curve = CurveServer(keys: KeyPair(), authenticator: try await reactor.authenticate(AllowedKeys()))
            let other = try await reactor.open(Stream.self)
            let error = await #expect(throws: ZeroMQError.self) {
                try await reactor.bind(other, to: Endpoint("tcp://127.0.0.1:*"), as: curve)
            }
            #expect(error?.code == .insecure)
            let req = try await reactor.open(Req.self)
            let unable = await #expect(throws: ZeroMQError.self) {
                try await reactor.bind(req, to: Endpoint("tcp://127.0.0.1:*"), as: curve)
            }
            #expect(unable?.code == .invalidEndpoint)
        }
    }
}

extension Reactor {
    /// Waits until so many messages wait for room on a socket.
    fileprivate nonisolated func waitingInLine<Kind>(_ socket: Socket<Kind>, _ count: Int) async {
        while await run({ $0.sockets[socket.token]?.line.count ?? 0 }) < count { await Task.yield() }
    }
}

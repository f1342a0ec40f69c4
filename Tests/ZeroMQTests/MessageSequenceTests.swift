import TestSupport
import Testing
import ZeroMQ

@Suite("A message sequence", .timeLimit(.minutes(30)))
struct MessageSequenceTests {
    @Test("delivers every message in order, with the peer it came from")
    func inOrder() async throws {
        try await withReactor("server") { server in
            var options = SocketOptions(for: Router.self)
            options.prefetch = 16
            let router = try await server.open(Router.self, options: options)
            let endpoint = try await server.bind(router, to: try LocalEndpoint("tcp://127.0.0.1:*"))
            let answering = Task {
                for await request in router.messages {
                    while await server.reply(request, to: request, on: router) == .full {}
                }
            }
            try await withReactor("client") { client in
                let echo = EchoClient(count: 20_000, window: 64)
                try await client.run(echo, against: endpoint)
                #expect(echo.mistakes == 0)
            }
            await server.close(router)
            await answering.value
        }
    }

    @Test("stops reception while nobody reads, and loses nothing")
    func backPressure() async throws {
        try await withReactor { reactor in
            let (dealer, messages) = try await source(reactor, buffering: 10)
            var sent = 0
            while await reactor.send(Message(number: sent), on: dealer) == .sent { sent += 1 }
            // Two queues of 256, and the buffer with the turn's share that filled it.
            #expect(sent <= 512 + 10 + ReactorOptions().messagesPerTurn)
            var received: [Int] = []
            for await message in messages {
                received.append(message.number)
                if received.count == sent { break }
            }
            #expect(received == Array(0..<sent))
        }
    }

    @Test("counts bytes as well as messages")
    func byteLimit() async throws {
        try await withReactor { reactor in
            let (dealer, messages) = try await source(reactor, buffering: 1_000_000)
            let body = [UInt8](repeating: 1, count: 100_000)
            var sent = 0
            while sent < 5_000, await reactor.send(Message([Array(String(sent).utf8), body]), on: dealer) == .sent {
                sent += 1
            }
            #expect(sent < 512 + 100)
            var iterator = messages.makeAsyncIterator()
            for number in 0..<sent { #expect(await iterator.next()?.number == number) }
        }
    }

    @Test("loses no message when the reading task is cancelled, again and again")
    func cancelledReaders() async throws {
        try await withReactor { reactor in
            let (dealer, messages) = try await source(reactor, buffering: 8)
            let received = Record<Int>()
            let sending = Task {
                for number in 0..<10_000 {
                    while await reactor.send(Message(number: number), on: dealer) != .sent { await Task.yield() }
                    if number % 7 == 0 { await Task.yield() }
                }
            }
            while received.values.count < 10_000 {
                let reader = Task {
                    for await message in messages { received.add(message.number) }
                }
                for _ in 0..<Int.random(in: 0..<20) { await Task.yield() }
                reader.cancel()
                await reader.value
            }
            await sending.value
            #expect(received.values == Array(0..<10_000))
        }
    }

    @Test("returns nil to a task that is cancelled while it waits")
    func cancelledWait() async throws {
        try await withReactor { reactor in
            let (dealer, messages) = try await source(reactor, buffering: 8)
            let waiting = Task { await messages.first { _ in true } }
            await reactor.passTurns(3)
            waiting.cancel()
            #expect(await waiting.value == nil)
            #expect(await reactor.send(Message(number: 7), on: dealer) == .sent)
            #expect(await messages.first { _ in true }?.number == 7)
        }
    }

    @Test("ends when its socket is closed, after what was received before")
    func endsWithSocket() async throws {
        try await withReactor { reactor in
            let router = try await reactor.open(Router.self)
            let dealer = try await reactor.dial(
                try await reactor.bind(router, to: try LocalEndpoint("inproc://ending"))
            )
            let messages = router.messages
            for number in 0..<3 { await reactor.send(Message(number: number), on: dealer) }
            var iterator = messages.makeAsyncIterator()
            #expect(await iterator.next()?.number == 0)
            await reactor.close(router)
            var rest: [Int] = []
            while let message = await iterator.next() { rest.append(message.number) }
            #expect(rest == [1, 2])
            #expect(await router.messages.first { _ in true } == nil)
        }
    }

    @Test("ends when the reactor is shut down, and when a handler takes its place")
    func endsOtherwise() async throws {
        let reactor = try Reactor(label: "ending")
        let dealer = try await reactor.open(Dealer.self)
        let first = Task { await dealer.messages.first { _ in true } }
        await reactor.passTurns(3)
        await reactor.receive(dealer) { _ in }
        #expect(await first.value == nil)
        let second = Task { await dealer.messages.first { _ in true } }
        await reactor.shutDown()
        #expect(await second.value == nil)
    }

    @Test("is shared by tasks that read at the same time: each message goes to one of them")
    func manyReaders() async throws {
        try await withReactor { reactor in
            let (dealer, messages) = try await source(reactor, buffering: 8)
            let received = Record<Int>()
            let readers = (0..<8).map { _ in
                Task { for await message in messages { received.add(message.number) } }
            }
            for number in 0..<5_000 {
                while await reactor.send(Message(number: number), on: dealer) != .sent { await Task.yield() }
            }
            #expect(await received.reach(5_000).sorted() == Array(0..<5_000))
            for reader in readers { reader.cancel() }
            for reader in readers { await reader.value }
        }
    }

    @Test("loses nothing that was read ahead when a handler takes its place, and when tasks read again")
    func handlers() async throws {
        try await withReactor { reactor in
            let router = try await reactor.open(Router.self)
            let dealer = try await reactor.dial(
                try await reactor.bind(router, to: try LocalEndpoint("inproc://handlers"))
            )
            for number in 0..<100 { #expect(await reactor.send(Message(number: number), on: dealer) == .sent) }
            #expect(try await router.receive(within: .seconds(240)).number == 0)
            let received = Record<Int>()
            await reactor.take(router, upTo: 49, into: received)
            #expect(await received.reach(49) == Array(1...49))
            // A task that waits takes the handler's place, and what was read ahead comes even from a paused socket.
            #expect(try await router.receive(within: .seconds(240)).number == 50)
            await reactor.resume(router)
            for number in 51..<100 { #expect(try await router.receive(within: .seconds(240)).number == number) }
            #expect(received.values.count == 49)
        }
    }

    @Test("ends a wait for one message at its deadline, by cancellation and with the socket, and loses nothing")
    func single() async throws {
        try await withReactor { reactor in
            let (dealer, _) = try await source(reactor, buffering: 8)
            let pair = try await reactor.open(Dealer.self)
            let late = await #expect(throws: ZeroMQError.self) { try await pair.receive(within: .milliseconds(5)) }
            #expect(late?.code == .deadline)
            let cancelled = Task { try await pair.receive(within: .seconds(240)) }
            await reactor.passTurns(3)
            cancelled.cancel()
            let ended = await #expect(throws: ZeroMQError.self) { try await cancelled.value }
            #expect(ended?.code == .cancelled)
            let waiting = Task { try await pair.receive(within: .seconds(240)) }
            await reactor.passTurns(3)
            await reactor.close(pair)
            let closed = await #expect(throws: ZeroMQError.self) { try await waiting.value }
            #expect(closed?.code == .closed)
            await reactor.close(dealer)
        }
    }

    /// A ROUTER read through a sequence, and a DEALER that is connected to it within the process.
    private func source(
        _ reactor: Reactor,
        buffering limit: Int
    ) async throws -> (Socket<Dealer>, MessageSequence) {
        var options = SocketOptions(for: Router.self)
        options.prefetch = limit
        let router = try await reactor.open(Router.self, options: options)
        let dealer = try await reactor.dial(try await reactor.bind(router, to: try LocalEndpoint("inproc://source")))
        return (dealer, router.messages)
    }
}

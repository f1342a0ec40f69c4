import TestSupport
import Testing
import ZeroMQ

@Suite("A message sequence", .timeLimit(.minutes(30)))
struct MessageSequenceTests {
    @Test("delivers every message in order, with the peer it came from")
    func inOrder() async throws {
        try await withReactor("server") { server in
            let router = try await server.open(Router.self)
            let endpoint = try await server.bind(router, to: try LocalEndpoint("tcp://127.0.0.1:*"))
            let requests = await server.messages(from: router, buffering: 16)
            let answering = Task {
                for await request in requests {
                    while await server.send(request.message, on: router, to: request.peer) == .full {}
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
                received.append(message.message.number)
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
            for number in 0..<sent { #expect(await iterator.next()?.message.number == number) }
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
                    for await message in messages { received.add(message.message.number) }
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
            #expect(await messages.first { _ in true }?.message.number == 7)
        }
    }

    @Test("ends when its socket is closed, after what was received before")
    func endsWithSocket() async throws {
        try await withReactor { reactor in
            let router = try await reactor.open(Router.self)
            let dealer = try await reactor.dial(
                try await reactor.bind(router, to: try LocalEndpoint("inproc://ending"))
            )
            let messages = await reactor.messages(from: router)
            for number in 0..<3 { await reactor.send(Message(number: number), on: dealer) }
            var iterator = messages.makeAsyncIterator()
            #expect(await iterator.next()?.message.number == 0)
            await reactor.close(router)
            var rest: [Int] = []
            while let message = await iterator.next() { rest.append(message.message.number) }
            #expect(rest == [1, 2])
            #expect(await reactor.messages(from: router).first { _ in true } == nil)
        }
    }

    @Test("ends when the reactor is shut down, and when another one takes its place")
    func endsOtherwise() async throws {
        let reactor = try Reactor(label: "ending")
        let dealer = try await reactor.open(Dealer.self)
        let first = await reactor.messages(from: dealer)
        let firstEnd = Task { await first.first { _ in true } }
        let second = await reactor.messages(from: dealer)
        #expect(await firstEnd.value == nil)
        let secondEnd = Task { await second.first { _ in true } }
        await reactor.shutDown()
        #expect(await secondEnd.value == nil)
    }

    @Test("stops the program when two tasks wait at the same time")
    func twoReaders() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let reactor = try Reactor(label: "two")
            let messages = await reactor.messages(from: try await reactor.open(Dealer.self))
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 { group.addTask { _ = await messages.first { _ in true } } }
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("one task"))
    }

    /// A ROUTER read through a sequence, and a DEALER that is connected to it within the process.
    private func source(
        _ reactor: Reactor,
        buffering limit: Int
    ) async throws -> (Socket<Dealer>, RoutedMessageSequence) {
        let router = try await reactor.open(Router.self)
        let dealer = try await reactor.dial(try await reactor.bind(router, to: try LocalEndpoint("inproc://source")))
        return (dealer, await reactor.messages(from: router, buffering: limit))
    }
}

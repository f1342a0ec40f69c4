import TestSupport
import Testing
import ZeroMQ

/// The sockets here are connected within the process, so what was sent is there when `send` returns.
@Suite("A turn", .timeLimit(.minutes(30)))
struct TurnTests {
    @Test("takes no more messages from a socket than its share, and loses none")
    func shareOfMessages() async throws {
        var options = ReactorOptions()
        options.messagesPerTurn = 4
        let turns = try await takeQueued(Array(repeating: 10, count: 103), options: options)
        #expect(turns.flatMap { $0 } == Array(0..<103))
        #expect(turns.map(\.count).max() == 4)
        #expect(turns.count == 26)
    }

    @Test("takes no more bytes from a socket than its share, but for the last message")
    func shareOfBytes() async throws {
        var options = ReactorOptions()
        options.bytesPerTurn = 1000
        let turns = try await takeQueued(Array(repeating: 400, count: 30), options: options)
        #expect(turns.flatMap { $0 } == Array(0..<30))
        #expect(turns.map(\.count).max() == 3)
    }

    @Test("takes eight messages from a socket when its time is over, and loses none")
    func shareOfTime() async throws {
        var options = ReactorOptions()
        options.timePerTurn = .zero
        let turns = try await takeQueued(Array(repeating: 10, count: 103), options: options)
        #expect(turns.flatMap { $0 } == Array(0..<103))
        #expect(turns.map(\.count) == Array(repeating: 8, count: 12) + [7])
    }

    @Test("takes 256 messages by default")
    func defaultShare() async throws {
        let turns = try await takeQueued(Array(repeating: 10, count: 600), options: ReactorOptions())
        #expect(turns.map(\.count) == [256, 256, 88])
    }

    @Test("serves every socket that has messages, and work in between")
    func fairness() async throws {
        var options = ReactorOptions()
        options.messagesPerTurn = 1
        try await withReactor(options: options) { reactor in
            let order = Record<String>()
            let first = try await reactor.queue(10, at: "first", order)
            let second = try await reactor.queue(10, at: "second", order)
            await reactor.onTurnEnd { order.add("end") }
            let goOn = Milestone()
            await reactor.resumeBoth(first, second) { reactor in
                reactor.submit { _ in goOn.advance() }
            }
            await goOn.reach(1)
            let names = await order.reach(30).drop { $0 == "end" }.filter { $0 != "end" }
            // One of each in turn: neither waits until the other has nothing left.
            #expect(Array(names.prefix(4)) == ["first", "second", "first", "second"])
        }
    }

    @Test("ends with a call to those who flush")
    func turnEnd() async throws {
        try await withReactor { reactor in
            let ends = Milestone()
            await reactor.onTurnEnd { ends.advance() }
            await reactor.passTurns(3)
            await ends.reach(3)
        }
    }

    /// Queues messages of the given sizes on a paused socket and returns what each turn then took.
    private func takeQueued(_ sizes: [Int], options: ReactorOptions) async throws -> [[Int]] {
        try await withReactor(options: options) { reactor in
            let log = TurnLog()
            let taken = Milestone()
            var many = SocketOptions(for: Router.self)
            many.receiveHighWaterMark = 1000
            let router = try await reactor.open(Router.self, options: many)
            let endpoint = try await reactor.bind(router, to: try LocalEndpoint("inproc://queued"))
            await reactor.pause(router)
            await reactor.receive(router) { message in
                log.messages.add(message.number)
                taken.advance()
            }
            let dealer = try await reactor.dial(endpoint)
            for (number, size) in sizes.enumerated() {
                var message = Message(number: number)
                message.append([UInt8](repeating: 0, count: size - message.sizeInBytes))
                #expect(await reactor.send(message, on: dealer) == .sent)
            }
            await reactor.onTurnEnd { log.marks.add(log.messages.values.count) }
            await reactor.resume(router)
            await taken.reach(sizes.count)
            await reactor.passTurns(2)
            let marks = [0] + log.marks.values
            return zip(marks, marks.dropFirst()).map { Array(log.messages.values[$0..<$1]) }.filter { !$0.isEmpty }
        }
    }
}

private final class TurnLog: Sendable {
    let messages = Record<Int>()
    let marks = Record<Int>()
}

extension Reactor {
    /// Queues messages on a paused socket that will note its name for each.
    fileprivate func queue(_ count: Int, at name: String, _ order: Record<String>) throws -> Socket<Router> {
        let router = try open(Router.self)
        let endpoint = try bind(router, to: try LocalEndpoint("inproc://\(name)"))
        pause(router)
        receive(router) { _ in order.add(name) }
        let dealer = try dial(endpoint)
        for number in 0..<count { send(Message(number: number), on: dealer) }
        return router
    }

    fileprivate func resumeBoth(
        _ first: Socket<Router>,
        _ second: Socket<Router>,
        _ work: @Sendable (isolated Reactor) -> Void
    ) {
        resume(first)
        resume(second)
        work(self)
    }
}

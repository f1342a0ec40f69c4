import ForgeBusProtocol
import TestSupport
import Testing

@testable import ForgeBusClient

@Suite("A client with more requests than may be on their way", .timeLimit(.minutes(30)))
struct WindowSocketTests {
    private let assumed = Window.assumed - Window.reserve
    private let total = 600

    @Test("asks the worker for its number, keeps to it, and sends the rest in order as answers come")
    func number() async throws {
        try await scripted { worker, client async throws in
            let ended = try client.begin(0..<total)
            var requests = await worker.requests.reach(assumed + 1)
            try #require(requests.firstIndex { $0.command == .hello } == assumed)
            worker.answer(requests[assumed].id, .welcome(outstanding: 300))
            for answered in 0..<total {
                let most = min(300 - Window.reserve + answered, total) + 1
                requests = await worker.requests.reach(most)
                #expect(requests.count == most)
                worker.answer(requests.notifications[answered].id, .taken)
            }
            await ended.reach(total)
            #expect(requests.topics == (0..<total).map { "t.\($0)" })
        }
    }

    @Test("keeps to none where the worker knows no such number", arguments: [nil, ErrorCode.unknownCommand])
    func older(_ refusal: ErrorCode?) async throws {
        try await scripted { _, request in
            guard request.command == .hello else { return [] }
            return [refusal.map { .refused($0) } ?? .welcome(outstanding: nil)]
        } _: { worker, client async throws in
            _ = try client.begin(0..<total)
            await worker.requests.reach(total + 1)
        }
    }

    @Test("says of one that its patience ended before it was sent, although the worker was reached")
    func patience() async throws {
        let place = try Place()
        let worker = try await ScriptedWorker(at: place.endpoint)
        try await client(of: place) { client async throws in
            _ = try client.begin(0..<total)
            await worker.requests.reach(assumed + 1)
            let error = await #expect(throws: BusError.self) {
                try await client.notify("late", patience: .milliseconds(20))
            }
            let id = try RequestID(#require(error?.details["request"]?.string))
            #expect(error?.message == Errors.notTaken(id, at: place.endpoint).message)
        }
        await worker.die()
    }

    @Test("does not count runs that were taken, and asks nobody")
    func taken() async throws {
        try await scripted { _, _ in
            [.begun()]
        } _: { worker, client async throws in
            var runs: [BusRun] = []
            for _ in 0..<total { runs.append(try await client.start("p")) }
            #expect(worker.requests.count == total)
            #expect(await client.outstanding == total)
        }
    }

    @Test("asks again on a new connection, and sends there what was on its way on the lost one")
    func reconnected() async throws {
        let place = try Place()
        try await client(of: place) { client async throws in
            let first = try await ScriptedWorker(at: place.endpoint)
            _ = try client.begin(0..<total)
            await first.requests.reach(assumed + 1)
            await first.die()
            let second = try await ScriptedWorker(at: place.endpoint) { _, request in
                request.command == .hello ? [.welcome(outstanding: 300)] : []
            }
            let requests = await second.requests.reach(300 - Window.reserve + 1)
            #expect(requests.contains { $0.command == .hello })
            #expect(requests.topics == (0..<300 - Window.reserve).map { "t.\($0)" })
            await second.die()
        }
    }

    @Test("sends others in the place of those nobody waits for, and never those that it had not sent")
    func cancelled() async throws {
        try await scripted { worker, client async throws in
            let tickets = Record<Call.Ticket>()
            let ended = try client.begin(0..<assumed + 1, tickets)
            await worker.requests.reach(assumed + 1)
            try client.cancel(tickets.values[assumed])
            await ended.reach(1)
            _ = try client.begin(total..<total + 1)
            try client.cancel(tickets.values[0])
            #expect(await worker.requests.reach(assumed + 2).topics.last == "t.\(total)")
        }
    }

    @Test("sends again what is on its way, though there is no room for others")
    func resent() async throws {
        try await scripted(resendsAfter: .milliseconds(10)) { worker, client async throws in
            _ = try client.begin(0..<assumed + 1)
            var requests = await worker.requests.reach(1)
            var asked: Request? { requests.first { $0.command == .hello } }
            while asked == nil || Set(requests.map(\.id)).count == requests.count {
                requests = await worker.requests.reach(requests.count + 1)
            }
            if let asked { worker.answer(asked.id, .welcome(outstanding: nil)) }
            while !requests.topics.contains("t.\(assumed)") {
                requests = await worker.requests.reach(requests.count + 1)
            }
        }
    }
}

extension BusClient {
    /// Begins notifications of the topics `t.0`, `t.1` and so on, in this order.
    ///
    /// - Returns: What they end with.
    fileprivate func begin(
        _ numbers: Range<Int>,
        _ tickets: Record<Call.Ticket> = Record()
    ) throws -> Record<Result<Answer.Content, BusError>> {
        let ended = Record<Result<Answer.Content, BusError>>()
        let loop = try link.loop(for: .random())
        for number in numbers {
            let request = Request(.notify(StateChange(topic: Name(unchecked: "t.\(number)"))))
            let ticket = Call.Ticket(request.id)
            tickets.add(ticket)
            loop.begin(request, ticket, nil, Call.Listener(end: ended.add))
        }
        return ended
    }

    fileprivate func cancel(_ ticket: Call.Ticket) throws { try link.loop(for: ticket.id).cancel(ticket) }
}

extension [Request] {
    fileprivate var notifications: [Request] { filter { $0.command != .hello } }
    fileprivate var topics: [String] {
        compactMap { if case .notify(let change) = $0.command { change.topic.description } else { nil } }
    }
}

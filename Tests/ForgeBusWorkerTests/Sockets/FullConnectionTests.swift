import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import Scorecard
import TestSupport
import Testing

@Suite("A connection that takes nothing more", .scorecard(10), .timeLimit(.minutes(30)))
struct FullConnectionTests {
    @Test("leaves room for another that reads late: that one gets all its answers")
    func room() async throws {
        try await serving(configure: { $0.limits.unreadSizeInBytes = 8 << 20 }) { serving in
            let hostile = try await RawDealer(serving.endpoint)
            await hostile.pause()
            try await serving.fill(hostile)
            let lost = try await serving.worker.counters[.answersLost]
            let late = try await RawDealer(serving.endpoint)
            await late.pause()
            let total = try await serving.delay(100, at: late)
            await late.resume()
            #expect(await late.received.reach(total).map { $0[1] } == (0..<total).map(String.init))
            #expect(try await serving.worker.counters[.answersLost] == lost)
            await late.close()
            await hostile.close()
        }
    }

    @Test("and one of more than there may be is refused, and served when another is gone", .scorecard(11))
    func tooMany() async throws {
        try await serving(configure: { $0.limits.connections = 2 }) { serving in
            var served: [RawDealer] = []
            var last = try await RawDealer(serving.endpoint)
            // libzmq tells of a connection beside its messages, so that its first request may come before it is counted.
            while try await isServed(last) {
                guard served.count < 100 else { throw Missing("a refusal") }
                served.append(last)
                last = try await RawDealer(serving.endpoint)
            }
            for dealer in served { await dealer.close() }
            var told = 1
            repeat {
                told += 1
                try await last.send("FORGE/1 PING", "p", "", "", "")
            } while try await last.answers(told).last?.isPong != true
            await last.close()
        }
    }

    /// Whether a first PING is answered; otherwise it is refused, because there are too many connections.
    private func isServed(_ dealer: RawDealer) async throws -> Bool {
        try await dealer.send("FORGE/1 PING", "p", "", "", "")
        guard case .error(let error)? = try await dealer.answers(1).first?.content else { return true }
        #expect(error.code == .busy && error.details["limit"] == "connections")
        return false
    }

    @Test("loses events, is told how many when it reads again, and gets as many as it asked for")
    func events() async throws {
        let hosted = HostedPipeline("p", pipeline(Stage("work") { _ in .completed }))
        try await serving(pipelines: [hosted], configure: { $0.limits.unreadSizeInBytes = 1 << 20 }) { serving in
            let dealer = try await RawDealer(serving.endpoint)
            try await dealer.send("FORGE/1 WATCH", "w", "run.>", #"{"credit":12}"#, "")
            await dealer.pause()
            try await serving.fill(dealer)
            let client = try await serving.client()
            for _ in 0..<8 { _ = try await client.run("p") }
            await dealer.resume()
            var told: [Answer] = []
            while told.last?.state != .creditEnded {
                _ = try await client.run("p")
                told = try await dealer.answers(0).filter { $0.id?.text == "w" }
            }
            #expect(lost(of: told.compactMap(\.event), of: 12) >= 24, "three of each run")
            await dealer.close()
        }
    }

    @Test("gets the credit back for events that were dropped with its line, and is told how many it lost")
    func droppedEvents() async throws {
        let hosted = HostedPipeline("p", pipeline(Stage("work") { _ in .completed }))
        try await serving(pipelines: [hosted], configure: { $0.limits.unreadSizeInBytes = 1 << 20 }) { serving in
            let dealer = try await RawDealer(serving.endpoint)
            try await dealer.send("FORGE/1 WATCH", "w", "run.>", #"{"credit":12}"#, "")
            await dealer.pause()
            _ = try await serving.delay(1, at: dealer)
            let client = try await serving.client()
            for _ in 0..<4 { _ = try await client.run("p") }
            let other = try await RawDealer(serving.endpoint)
            await other.pause()
            // The line is dropped for the other's sake once it has been stuck for a second: twelve events and what they
            // waited behind.
            repeat { try await serving.fill(other) } while try await serving.worker.counters[.answersLost] < 13
            await dealer.resume()
            var told: [Answer] = []
            while told.last?.state != .creditEnded {
                _ = try await client.run("p")
                told = try await dealer.answers(0).filter { $0.id?.text == "w" }
            }
            #expect(lost(of: told.compactMap(\.event), of: 12) >= 12)
            await other.close()
            await dealer.close()
        }
    }

    /// How many events are missing between and before these, which say so themselves.
    private func lost(of events: [BusEvent], of credit: Int) -> Int {
        #expect(events.count == credit)
        var last = 0
        for event in events {
            #expect(event.sequence == last + event.lost + 1)
            last = event.sequence
        }
        return last - events.count
    }
}

extension Serving {
    /// Has a connection that does not read be told more and more, until not even a small answer finds room.
    fileprivate func fill(_ dealer: RawDealer) async throws {
        for size in [4096, 1024, 32, 0] {
            let body = String(repeating: "x", count: size)
            let refused = try await worker.counters[.refusedOutstanding]
            while try await worker.counters[.refusedOutstanding] == refused {
                let handled = try await worker.counters.handled
                for _ in 0..<8 { try await dealer.send("FORGE/1 PING", "p", "", "", body) }
                while try await worker.counters.handled < handled + 8 { try Task.checkCancellation() }
            }
        }
    }
}

extension Answer {
    fileprivate var isPong: Bool { if case .pong = content { true } else { false } }
    fileprivate var event: BusEvent? { if case .event(let event) = content { event } else { nil } }
    fileprivate var state: StateReport.State? { if case .ok(let report) = content { report.state } else { nil } }
}

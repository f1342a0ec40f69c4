import Testing
import ZeroMQ

@testable import ForgeBusWorker

@Suite("The backlog of answers")
struct BacklogTests {
    private var backlog = Backlog()

    private func message(_ text: String) -> Message {
        var message = Message()
        message.append(text)
        return message
    }

    @Test("hands over in order what was kept, and holds nothing then")
    mutating func order() {
        for text in ["a", "b", "c"] { #expect(backlog.add(message(text), for: .numbered(1)) == true) }
        #expect(backlog.holds(for: .numbered(1)))
        #expect(!backlog.holds(for: .numbered(2)))
        var sent: [String] = []
        let done = backlog.retry { message, _ in
            sent.append(text(message))
            return .sent
        }
        #expect(sent == ["a", "b", "c"])
        #expect(done == (3, 0))
        #expect(backlog.isEmpty)
    }

    @Test("keeps what finds no room, and a full connection does not hold up others")
    mutating func full() {
        for text in ["a", "b", "c"] { _ = backlog.add(message(text), for: .numbered(1)) }
        _ = backlog.add(message("x"), for: .numbered(2))
        var room = 1
        let first = backlog.retry { _, peer in
            guard peer == .numbered(1) else { return .sent }
            room -= 1
            return room >= 0 ? .sent : .full
        }
        #expect(first == (2, 0))
        #expect(!backlog.holds(for: .numbered(2)))
        var sent: [String] = []
        _ = backlog.retry { message, _ in
            sent.append(text(message))
            return .sent
        }
        #expect(sent == ["b", "c"])
    }

    @Test("loses what is kept for a connection that is gone")
    mutating func gone() {
        for text in ["a", "b", "c"] { _ = backlog.add(message(text), for: .numbered(1)) }
        var outcomes: [SendOutcome] = [.sent, .unreachable]
        let done = backlog.retry { _, _ in outcomes.removeFirst() }
        #expect(done == (1, 2))
        #expect(backlog.isEmpty)
    }

    @Test("is bounded for each connection, and in all by its bytes")
    mutating func bounds() {
        for _ in 0..<Backlog.answersPerPeer { _ = backlog.add(message(""), for: .numbered(1)) }
        #expect(backlog.add(message(""), for: .numbered(1)) == false)
        #expect(backlog.add(message(""), for: .numbered(2)) == true)
        let large = Message([[UInt8](repeating: 0, count: Backlog.sizeInBytes)])
        #expect(backlog.add(large, for: .numbered(3)) == true)
        #expect(backlog.add(message("x"), for: .numbered(4)) == false)
        _ = backlog.retry { _, peer in peer == .numbered(3) ? .sent : .full }
        #expect(backlog.add(message("x"), for: .numbered(4)) == true)
    }

    @Test("is tried again soon while somebody reads, and ever more seldom while nobody does")
    mutating func pauses() {
        _ = backlog.add(message("a"), for: .numbered(1))
        #expect(backlog.pause == Backlog.shortestPause)
        for _ in 0..<20 { _ = backlog.retry { _, _ in .full } }
        #expect(backlog.pause == Backlog.longestPause)
        _ = backlog.retry { _, _ in .sent }
        #expect(backlog.pause == Backlog.shortestPause)
    }
}

private func text(_ message: Message) -> String { String(decoding: message[0], as: UTF8.self) }

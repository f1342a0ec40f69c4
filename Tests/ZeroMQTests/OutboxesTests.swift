import Testing

@testable import ZeroMQ

@Suite("The outboxes of a ROUTER")
struct OutboxesTests {
    private var outboxes = Outboxes(limits: OutboxLimits(messagesPerPeer: 4, bytes: 1000))
    private let now = ContinuousClock.now

    private mutating func add(_ text: String, _ peer: UInt8 = 1, until deadline: ContinuousClock.Instant? = nil) -> Bool
    {
        outboxes.add(Outboxes.Entry(message(text), deadline: deadline), for: .numbered(peer))
    }

    private func message(_ text: String) -> Message { Message([Array(text.utf8)]) }

    @Test("hand over in order what was kept, and hold nothing then")
    mutating func order() {
        for text in ["a", "b", "c"] { #expect(add(text)) }
        #expect(outboxes.count(for: .numbered(1)) == 3 && outboxes.count(for: .numbered(2)) == 0)
        var sent: [Message] = []
        let ended = outboxes.retry(at: now) { message, _ in
            sent.append(message)
            return .sent
        }
        #expect(sent == ["a", "b", "c"].map(message))
        #expect(ended.map(\.end) == [.sent, .sent, .sent])
        #expect(outboxes.isEmpty)
    }

    @Test("keep what finds no room, and a full peer does not hold up others")
    mutating func full() {
        for text in ["a", "b", "c"] { #expect(add(text)) }
        #expect(add("x", 2))
        var room = 1
        let ended = outboxes.retry(at: now) { _, peer in
            guard peer == .numbered(1) else { return .sent }
            room -= 1
            return room >= 0 ? .sent : .full
        }
        #expect(ended.count == 2)
        #expect(outboxes.count(for: .numbered(1)) == 2 && outboxes.count(for: .numbered(2)) == 0)
        var sent: [Message] = []
        _ = outboxes.retry(at: now) { message, _ in
            sent.append(message)
            return .sent
        }
        #expect(sent == ["b", "c"].map(message))
    }

    @Test("tell what was kept for a peer that is gone")
    mutating func gone() {
        for text in ["a", "b", "c"] { #expect(add(text)) }
        var outcomes: [SendOutcome] = [.sent, .unreachable]
        let ended = outboxes.retry(at: now) { _, _ in outcomes.removeFirst() }
        #expect(ended.map(\.end) == [.sent, .undelivered(.peerUnreachable), .undelivered(.peerUnreachable)])
        #expect(outboxes.isEmpty)
    }

    @Test("give up what is too late, wherever it stands in the line, and keep the rest in order")
    mutating func deadline() {
        #expect(add("a"))
        #expect(add("b", until: now + .seconds(1)))
        #expect(add("c", until: now + .seconds(3)))
        #expect(outboxes.retry(at: now) { _, _ in .full }.isEmpty)
        let late = outboxes.retry(at: now + .seconds(2)) { _, _ in .full }
        #expect(late.map(\.end) == [.undelivered(.deadline)])
        #expect(late.map(\.entry.message) == [message("b")])
        let rest = outboxes.retry(at: now + .seconds(2)) { _, _ in .sent }
        #expect(rest.map(\.entry.message) == [message("a"), message("c")])
    }

    @Test("are bounded for each peer, and in all by their bytes")
    mutating func bounded() {
        for text in ["a", "b", "c", "d"] { #expect(add(text)) }
        #expect(!add("e"))
        #expect(add("x", 2))
        #expect(add(String(repeating: "x", count: 995), 3))
        #expect(!add("y", 4))
        _ = outboxes.retry(at: now) { _, peer in peer == .numbered(3) ? .sent : .full }
        #expect(add("y", 4))
    }

    @Test("are tried less often while nobody has room")
    mutating func pause() {
        #expect(add("a"))
        for _ in 0..<20 { _ = outboxes.retry(at: now) { _, _ in .full } }
        #expect(outboxes.pause == Outboxes.longestPause)
        _ = outboxes.retry(at: now) { _, _ in .sent }
        #expect(outboxes.pause == Outboxes.shortestPause)
    }

    @Test("tell everything when their socket is closed")
    mutating func closed() {
        for peer in 1...3 as ClosedRange<UInt8> { #expect(add("a", peer)) }
        #expect(outboxes.removeAll().map(\.end) == Array(repeating: .undelivered(.closed), count: 3))
        #expect(outboxes.isEmpty)
    }
}

extension PeerID {
    /// A peer that no socket has.
    fileprivate static func numbered(_ number: UInt8) -> PeerID {
        Swift.withUnsafeBytes(of: number) { PeerID($0) }
    }
}

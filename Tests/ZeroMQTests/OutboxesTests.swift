import Testing

@testable import ZeroMQ

@Suite("The outboxes of a ROUTER")
struct OutboxesTests {
    private var outboxes = Outboxes(limits: OutboxLimits(messagesPerPeer: 4, bytes: 4000))
    private let now = ContinuousClock.now

    private mutating func add(_ text: String, _ peer: UInt8 = 1, until deadline: ContinuousClock.Instant? = nil) -> Bool
    {
        outboxes.add(Outboxes.Entry(message(text), deadline: deadline), for: .numbered(peer), at: now)
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

    @Test("are bounded for each peer by their number")
    mutating func bounded() {
        for text in ["a", "b", "c", "d"] { #expect(add(text)) }
        #expect(!add("e"))
        #expect(add("x", 2))
    }

    @Test("are bounded by their bytes: each peer takes a quarter of what is free, and there is room for the next")
    mutating func bytes() {
        func text(_ size: Int) -> String { String(repeating: "x", count: size) }
        #expect(!add(text(1001)))
        #expect(add(text(800)) && !add("a"), "a fifth of all, if it is alone")
        #expect(add(text(640), 2) && !add("a", 2))
        #expect(add(text(512), 3) && !add("a", 3))
        #expect(add(text(400), 4))
        _ = outboxes.retry(at: now) { _, peer in peer == .numbered(1) ? .sent : .full }
        #expect(add(text(600), 5), "what has left is free")
    }

    @Test("are tried at once at first, then less and less often while their peer has no room")
    mutating func pause() throws {
        #expect(add("a"))
        #expect(outboxes.due == now)
        _ = outboxes.retry(at: now) { _, _ in .full }
        #expect(outboxes.due == now, "a peer that reads has room in microseconds")
        var time = now + RetryPace.eagerness
        _ = outboxes.retry(at: time) { _, _ in .full }
        #expect(outboxes.due == time + RetryPace.shortestPause)
        for _ in 0..<20 {
            time = try #require(outboxes.due)
            _ = outboxes.retry(at: time) { _, _ in .full }
        }
        #expect(outboxes.due == time + RetryPace.longestPause)
        #expect(add("b"))
        time = try #require(outboxes.due)
        var room = 1
        _ = outboxes.retry(at: time) { _, _ in
            room -= 1
            return room >= 0 ? .sent : .full
        }
        #expect(outboxes.due == time)
        _ = outboxes.retry(at: time) { _, _ in .sent }
        #expect(outboxes.due == nil)
    }

    @Test("are tried each in its own time: one that is stuck makes no other wait")
    mutating func ownPause() throws {
        #expect(add("a"))
        for _ in 0..<20 { _ = outboxes.retry(at: try #require(outboxes.due) + RetryPace.eagerness) { _, _ in .full } }
        #expect(try #require(outboxes.due) > now + .milliseconds(100))
        #expect(add("x", 2))
        #expect(outboxes.due == now)
        var tried: [PeerID] = []
        _ = outboxes.retry(at: now) { _, peer in
            tried.append(peer)
            return .sent
        }
        #expect(tried == [.numbered(2)])
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

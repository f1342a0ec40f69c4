import ForgeBusProtocol
import TestSupport
import Testing

@testable import ForgeBusClient

@Suite("What leaves on a connection")
struct SendQueueTests {
    private var queue = SendQueue()
    private let room = Window.assumed - Window.reserve

    private func entry(_ number: Int, isCounted: Bool = true) throws -> SendQueue.Entry {
        SendQueue.Entry(id: try RequestID("r\(number)"), isCounted: isCounted)
    }

    /// Sends what leaves at once, until the queue waits.
    private mutating func fill() throws -> [SendQueue.Entry] {
        var sent: [SendQueue.Entry] = []
        for number in 0..<room {
            let entry = try entry(number)
            guard queue.offered(entry) == .send(entry), queue.sent(entry) == .wait else { break }
            sent.append(entry)
        }
        return sent
    }

    @Test("leaves at once while there is room, again too")
    mutating func atOnce() throws {
        let first = try entry(1)
        for _ in 0..<2 {
            #expect(queue.offered(first) == .send(first))
            #expect(queue.sent(first) == .wait)
        }
    }

    @Test("waits behind a full socket, and leaves in order when it has room")
    mutating func fullSocket() throws {
        let entries = try (0..<3).map { try entry($0) }
        #expect(queue.offered(entries[0]) == .send(entries[0]))
        #expect(queue.refused(entries[0]) == .awaitRoom)
        for entry in entries { #expect(queue.offered(entry) == .wait) }
        #expect(queue.roomCame() == .send(entries[0]))
        #expect(queue.sent(entries[0]) == .send(entries[1]))
        #expect(queue.refused(entries[1]) == .awaitRoom)
        #expect(queue.heard(.taken, for: entries[0].id) == .wait, "nobody asks a full socket")
        #expect(queue.roomCame() == .send(entries[1]))
        #expect(queue.sent(entries[1]) == .send(entries[2]))
        #expect(queue.dropped(entries[2]) == .wait)
    }

    @Test("waits behind a full window, which is worth one HELLO, and leaves when an answer makes room")
    mutating func fullWindow() throws {
        let sent = try fill()
        #expect(sent.count == room)
        let (late, later) = (try entry(1_000), try entry(1_001))
        let step = queue.offered(late)
        guard case .askForLimit(let hello) = step else { throw Missing("a HELLO in \(step)") }
        #expect(queue.asked() == .wait)
        #expect(queue.offered(later) == .wait)
        #expect(queue.heard(.taken, for: sent[0].id) == .send(late))
        #expect(queue.sent(late) == .wait)
        #expect(queue.heard(.welcome(outstanding: nil), for: hello) == .send(later))
    }

    @Test("waits behind a full window until there is room in the socket for the HELLO, too")
    mutating func noRoomToAsk() throws {
        _ = try fill()
        guard case .askForLimit(let hello) = queue.offered(try entry(1_000)) else { throw Missing("a HELLO") }
        #expect(queue.notAsked() == .awaitRoom)
        #expect(queue.offered(try entry(1_001)) == .wait)
        #expect(queue.roomCame() == .askForLimit(hello))
    }

    @Test("leaves past the queue where its answer may have been lost, and does not wait for room behind a full window")
    mutating func past() throws {
        let sent = try fill()
        _ = queue.offered(try entry(1_000))
        _ = queue.asked()
        #expect(queue.offered(sent[0]) == .send(sent[0]))
        #expect(queue.refused(sent[0]) == .wait)
        #expect(queue.ended(sent[1].id) == .send(try entry(1_000)))
        #expect(queue.sent(try entry(1_000)) == .send(sent[0]))
    }

    @Test("does not leave once nobody waits for its answer, and those behind it do")
    mutating func ended() throws {
        let entries = try (0..<3).map { try entry($0, isCounted: $0 != 1) }
        _ = queue.offered(entries[0])
        _ = queue.refused(entries[0])
        for entry in entries { _ = queue.offered(entry) }
        #expect(queue.ended(entries[0].id) == .wait)
        #expect(queue.ended(try entry(7).id) == .wait)
        #expect(queue.roomCame() == .send(entries[1]))
        #expect(queue.sent(entries[1]) == .send(entries[2]))
    }

    @Test("keeps its order and its bound, and forgets nothing, in any order of events", arguments: 0..<50)
    func anyOrder(_ seed: Int) throws {
        var world = SendQueueWorld(seed: UInt64(seed))
        for _ in 0..<2_000 { world.step() }
        world.drain()
        #expect(world.flaws == [])
        #expect(world.sent.count > 400)
    }
}

/// A socket and a worker around a queue, whose events come in an order that a seed decides.
private struct SendQueueWorld {
    private var queue = SendQueue()
    private var generator: SeededGenerator
    /// Offered and not sent yet, in order.
    private var waiting: [SendQueue.Entry] = []
    private var unanswered: [SendQueue.Entry] = []
    private var hello: RequestID?
    private var awaitsRoom = false
    private var limit = Window.assumed - Window.reserve
    private(set) var sent: [SendQueue.Entry] = []
    private(set) var flaws: [String] = []

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func step() {
        switch generator.below(16) {
        case 0..<8: offer()
        case 8..<11: answer()
        case 11: if let entry = unanswered.randomElement(using: &generator) { carryOut(queue.offered(entry)) }
        case 12: end()
        case 13, 14: if awaitsRoom { giveRoom() }
        default: tellLimit()
        }
    }

    /// Answers everything until nothing waits.
    mutating func drain() {
        for _ in 0..<100_000 where !waiting.isEmpty {
            if awaitsRoom { giveRoom() } else if hello != nil { tellLimit() } else { answer() }
        }
        if !waiting.isEmpty { flaws.append("\(waiting.count) are forgotten") }
    }

    private mutating func offer() {
        let entry = SendQueue.Entry(id: .random(using: &generator), isCounted: generator.below(8) > 0)
        waiting.append(entry)
        carryOut(queue.offered(entry))
    }

    private mutating func answer() {
        guard !unanswered.isEmpty else { return }
        let entry = unanswered.remove(at: generator.below(unanswered.count))
        carryOut(queue.heard(.taken, for: entry.id))
        carryOut(queue.ended(entry.id))
    }

    private mutating func end() {
        let all = waiting + unanswered
        guard let entry = all.randomElement(using: &generator) else { return }
        waiting.removeAll { $0 == entry }
        unanswered.removeAll { $0 == entry }
        carryOut(queue.ended(entry.id))
    }

    private mutating func giveRoom() {
        awaitsRoom = false
        carryOut(queue.roomCame())
    }

    private mutating func tellLimit() {
        guard let id = hello else { return }
        hello = nil
        limit = 300 - Window.reserve
        carryOut(queue.heard(.welcome(outstanding: 300), for: id))
    }

    private mutating func carryOut(_ first: SendQueue.Step) {
        var step = first
        while case .send(let entry) = step {
            // A socket that was full a moment ago may be full again.
            step = generator.oneIn(20) ? queue.refused(entry) : hand(entry)
        }
        switch step {
        case .awaitRoom: awaitsRoom = true
        case .askForLimit(let id):
            if hello != nil { flaws.append("a second HELLO") }
            hello = id
            _ = queue.asked()
        case .send, .wait: break
        }
    }

    private mutating func hand(_ entry: SendQueue.Entry) -> SendQueue.Step {
        if let place = waiting.firstIndex(of: entry) {
            if place > 0 { flaws.append("\(entry.id) leaves before \(waiting[0].id)") }
            waiting.remove(at: place)
            sent.append(entry)
            if entry.isCounted { unanswered.append(entry) }
        } else if !unanswered.contains(entry) {
            flaws.append("\(entry.id) leaves, and nobody waits for it")
        }
        if unanswered.count > limit { flaws.append("\(unanswered.count) are on their way") }
        return queue.sent(entry)
    }
}

import ForgeBusProtocol
import TestSupport

@testable import ForgeBusWorker

/// Publishers, a network that loses, repeats and reorders, and a book; with a record of who is owed a cycle since when.
struct PublisherWorld {
    /// What a schedule is worth: what happened in it.
    enum Sight: CaseIterable {
        case lost, repeated, overtaken, gap, restart, reconnect, covered, forgotten
    }

    private struct Sent {
        let origin: Publication.Origin
        let topic: Int
        /// When it was published: the number of the step.
        let time: Int
    }

    private struct Publisher {
        var epoch: UInt64
        var numbers = [UInt64](repeating: 0, count: PublisherWorld.topics.count)
        var underWay: [Sent] = []
        /// When it began its life.
        var start = 0
    }

    private struct Row: Hashable {
        let epoch: UInt64
        let topic: Int
    }

    static let topics: [Name] = ["a", "b", "c"]
    private let isForgetful: Bool
    private var random: SeededGenerator
    private var book: PublisherBook
    private var publishers: [Publisher]
    private var time = 0
    private var lastEpoch: UInt64 = 2
    /// Since when the monitor of each topic is owed a cycle.
    private var owed = [Int](repeating: -1, count: topics.count)
    /// The greatest number that was delivered in each row.
    private var greatest: [Row: UInt64] = [:]
    private(set) var seen: [Sight: Int] = [:]
    private(set) var violations: [String] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        isForgetful = random.oneIn(3)
        book = isForgetful ? PublisherBook(topics: 1, lives: 4) : PublisherBook()
        publishers = [Publisher(epoch: 1), Publisher(epoch: 2)]
    }

    mutating func run(steps: Int) {
        for _ in 0..<steps {
            time += 1
            let publisher = random.below(2)
            switch random.below(20) {
            case 0: restart(publisher)
            case 1: reconnect(publisher)
            case 2: disturb(publisher)
            case 3..<11: publish(publisher)
            default: deliver(publisher)
            }
        }
    }

    private mutating func publish(_ index: Int) {
        let topic = random.below(Self.topics.count)
        publishers[index].numbers[topic] += 1
        let origin = Publication.Origin(epoch: publishers[index].epoch, sequence: publishers[index].numbers[topic])
        let sent = Sent(origin: origin, topic: topic, time: time)
        if random.oneIn(6) { return see(.lost) }
        publishers[index].underWay.append(sent)
        guard random.oneIn(8) else { return }
        see(.repeated)
        publishers[index].underWay.append(sent)
    }

    /// What was published last overtakes what was published first.
    private mutating func disturb(_ index: Int) {
        guard publishers[index].underWay.count > 1 else { return }
        see(.overtaken)
        publishers[index].underWay.swapAt(0, publishers[index].underWay.count - 1)
    }

    private mutating func restart(_ index: Int) {
        see(.restart)
        lastEpoch += 1
        // Something of the old life may be on its way by another forwarder.
        let rest = random.oneIn(2) ? publishers[index].underWay : []
        publishers[index] = Publisher(epoch: lastEpoch, underWay: rest, start: time)
    }

    private mutating func reconnect(_ index: Int) {
        see(.reconnect)
        publishers[index].underWay = []
        for topic in owed.indices { owed[topic] = time }
    }

    private mutating func deliver(_ index: Int) {
        guard !publishers[index].underWay.isEmpty else { return }
        let sent = publishers[index].underWay.removeFirst()
        let row = Row(epoch: sent.origin.epoch, topic: sent.topic)
        let known = greatest[row]
        let arrival = book.received(sent.origin, on: Self.topics[sent.topic], from: "ada")
        if arrival.isNews { owed[sent.topic] = time }
        if arrival.showsLoss { for topic in owed.indices { owed[topic] = time } }
        greatest[row] = max(sent.origin.sequence, known ?? 0)
        judge(arrival, of: sent, known: known)
        judgeDebt(
            of: sent,
            isFirstOfLife: !greatest.keys.contains { $0.epoch == row.epoch && $0 != row } && known == nil
        )
    }

    /// Whether the book knows no more, and where it forgets nothing no less, than what was delivered.
    private mutating func judge(_ arrival: PublisherBook.Arrival, of sent: Sent, known: UInt64?) {
        let isCovered = known.map { sent.origin.sequence <= $0 } ?? false
        let missing = known.map { sent.origin.sequence > $0 + 1 } ?? false
        switch arrival {
        case .covered:
            see(.covered)
            if !isCovered { violate("\(sent.origin) was taken as covered") }
        case .afterGap(let count):
            see(.gap)
            let isRight = missing && known.map { sent.origin.sequence - $0 - 1 == count } == true
            if !isRight { doubt("\(sent.origin) came after a gap of \(count)") }
        case .inOrder, .firstOfLife:
            if isCovered || missing { doubt("\(sent.origin) is \(arrival)") }
        }
    }

    /// Whatever was lost before this one, on its topic, is made up for; with a new life, on every topic.
    private mutating func judgeDebt(of sent: Sent, isFirstOfLife: Bool) {
        if owed[sent.topic] < sent.time { violate("\(sent.origin) is owed nothing on its topic") }
        guard isFirstOfLife else { return }
        for topic in owed.indices where owed[topic] < sent.time { violate("a new life owes nothing on \(topic)") }
    }

    private mutating func see(_ sight: Sight) { seen[sight, default: 0] += 1 }

    /// What a book may say that has forgotten something, and no other.
    private mutating func doubt(_ what: String) {
        if isForgetful { see(.forgotten) } else { violate(what) }
    }

    private mutating func violate(_ what: String) { violations.append("\(what) at \(time)") }
}

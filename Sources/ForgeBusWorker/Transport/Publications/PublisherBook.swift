import ForgeBusProtocol

/// Tracks which published messages have arrived, to detect messages that were lost.
///
/// Pure. A publisher numbers its messages on each topic from 1. An epoch identifies one life of the publisher; a life
/// ends when the publisher stops or restarts its numbers. A message whose number is missing is lost or late. A number
/// that the book has forgotten counts as unknown, never as missing.
struct PublisherBook {
    /// The meaning of a message's number.
    enum Arrival: Equatable {
        /// As far as the book knows, no message before this message is missing.
        case inOrder
        /// The message is the first that arrived from this life of its publisher; earlier messages may be lost.
        case firstOfLife
        /// The message follows a gap: this number of messages directly before it on its topic have not arrived.
        case afterGap(of: UInt64)
        /// The message is a repetition, or a later message on its topic has already caused a cycle.
        case covered
    }

    /// One life of a publisher, by its principal; so a false epoch cannot affect the lives of another principal.
    private struct Life: Hashable {
        let principal: String
        let epoch: UInt64
    }

    private struct Row: Hashable {
        let life: Life
        let topic: Name
    }

    /// The greatest number that has arrived on each topic of each life.
    private var rows: RecentTable<Row, UInt64>
    /// The latest lives from which a message has arrived.
    private var lives: RecentTable<Life, Void>

    /// Creates a book that remembers at least the latest `topics` topics and `lives` lives, and at most twice those
    /// numbers.
    init(topics: Int = 32_768, lives: Int = 1_024) {
        rows = RecentTable(generation: topics)
        self.lives = RecentTable(generation: lives)
    }

    /// Records a message of a principal.
    ///
    /// A message without an origin has no number: it is ``Arrival/inOrder`` each time.
    mutating func received(_ origin: Publication.Origin?, on topic: Name, from principal: String) -> Arrival {
        guard let origin else { return .inOrder }
        let life = Life(principal: principal, epoch: origin.epoch)
        let row = Row(life: life, topic: topic)
        let isKnown = lives[life] != nil
        let last = rows[row]
        lives.remember((), under: life)
        rows.remember(max(origin.sequence, last ?? 0), under: row)
        guard isKnown else { return .firstOfLife }
        guard let last else { return .inOrder }
        guard origin.sequence > last else { return .covered }
        let missing = origin.sequence - last - 1
        return missing == 0 ? .inOrder : .afterGap(of: missing)
    }
}

extension PublisherBook.Arrival {
    /// Whether the monitors that follow the message's topic need a cycle.
    var isNews: Bool {
        switch self {
        case .inOrder, .firstOfLife, .afterGap: true
        case .covered: false
        }
    }

    /// Whether messages on other topics may be lost, too.
    ///
    /// A publisher without room in its queue drops messages of any topic, and a restart loses messages that were not
    /// sent yet.
    var showsLoss: Bool {
        switch self {
        case .firstOfLife, .afterGap: true
        case .inOrder, .covered: false
        }
    }
}

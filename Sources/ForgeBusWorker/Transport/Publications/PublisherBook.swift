import ForgeBusProtocol

/// Which published messages came, and what that says about those that did not.
///
/// Pure. A publisher numbers its messages on each topic from 1 and names its life by an epoch; what is missing in that
/// row is lost or late. What the book has forgotten is unknown to it, never missing.
struct PublisherBook {
    /// What one message says by its place in the row.
    enum Arrival: Equatable {
        /// Nothing is known to be missing before it.
        case inOrder
        /// It is the first that came of this life of its publisher: what was published before may not have come.
        case firstOfLife
        /// So many before it on its topic have not come.
        case afterGap(of: UInt64)
        /// It came before, or a later one on its topic did, which was published after it and owed a cycle.
        case covered
    }

    /// One life of a publisher, as a principal claims it: what it says of itself touches nobody else's.
    private struct Life: Hashable {
        let principal: String
        let epoch: UInt64
    }

    private struct Row: Hashable {
        let life: Life
        let topic: Topic
    }

    /// The greatest number that came in each row.
    private var rows: RecentTable<Row, UInt64>
    /// The lives that were heard of.
    private var lives: RecentTable<Life, Void>

    /// A book that remembers at least so many of the topics and lives that were used last, and at most twice as many.
    init(topics: Int = 32_768, lives: Int = 1_024) {
        rows = RecentTable(generation: topics)
        self.lives = RecentTable(generation: lives)
    }

    /// A message of a principal came.
    ///
    /// One without an origin has no place in any row: it is ``Arrival/inOrder`` each time.
    mutating func received(_ origin: Publication.Origin?, on topic: Topic, from principal: String) -> Arrival {
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
    /// Whether the monitors that follow its topic are owed a cycle.
    var isNews: Bool {
        switch self {
        case .inOrder, .firstOfLife, .afterGap: true
        case .covered: false
        }
    }

    /// Whether something else may have been lost with what is missing, on whatever topic.
    ///
    /// A publisher drops what has no room whatever its topic is, and what a life before this one had not sent yet is
    /// gone.
    var showsLoss: Bool {
        switch self {
        case .firstOfLife, .afterGap: true
        case .inOrder, .covered: false
        }
    }
}

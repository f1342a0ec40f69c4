import DequeModule
import ForgeBusProtocol
import ForgeBusStore

/// Makes the same request the same request: what was taken under (principal, id), and what it was answered.
///
/// Written only together with an acceptance or a verdict; a refusal leaves no trace. Entries of unfinished runs stay;
/// finished ones stay for the retention that was announced. The window never shrinks silently: when it is full, new
/// work is refused.
struct RequestLedger {
    /// What is known of one request.
    struct Entry {
        let fingerprint: Fingerprint
        let outcome: RequestRecord.Outcome
    }

    /// What the ledger says to a request.
    enum Status {
        /// It was never seen, or is forgotten, and there is room for it.
        case new
        /// It is the same request again; this came of it.
        case known(RequestRecord.Outcome)
        /// The id was used for other content; the run that content began, if it began one.
        case conflict(RunID?)
        /// It is new, and the window is full.
        case full
    }

    private var entries = LargeTable<RequestKey, Entry>()
    /// Finished requests in the order in which they are forgotten: the retention is the same for all.
    private var finished: Deque<(key: RequestKey, until: Moment)> = []
    private let retention: Duration
    private let capacity: Int

    init(retention: Duration, capacity: Int) {
        self.retention = retention
        self.capacity = capacity
    }

    /// How many requests are kept.
    var count: Int { entries.count }

    /// When the next entry is forgotten.
    var nextExpiry: Moment? { finished.first?.until }

    /// What is to be done with a request.
    func rule(on key: RequestKey, _ fingerprint: Fingerprint) -> Status {
        guard let entry = entries[key] else { return entries.count < capacity ? .new : .full }
        if entry.fingerprint == fingerprint { return .known(entry.outcome) }
        if case .run(let run) = entry.outcome { return .conflict(run) }
        return .conflict(nil)
    }

    /// Keeps a request that was taken and is not finished.
    mutating func admit(_ record: RequestRecord) {
        entries[record.key] = Entry(fingerprint: record.fingerprint, outcome: record.outcome)
    }

    /// The request is finished: it is kept for the retention from now on.
    mutating func finish(_ key: RequestKey, at now: Moment) {
        finished.append((key, now.advanced(by: retention)))
    }

    /// Takes over requests that an earlier worker finished, each to be kept until its moment.
    mutating func restore(finished: [(key: RequestKey, until: Moment)]) {
        guard !finished.isEmpty else { return }
        // Beside those that were finished when they were taken over.
        self.finished = Deque((self.finished + finished).sorted { $0.until < $1.until })
    }

    /// Forgets what is due.
    ///
    /// - Returns: What was forgotten, for the store and the books to forget it too.
    mutating func forget(at now: Moment) -> [(key: RequestKey, outcome: RequestRecord.Outcome)] {
        var forgotten: [(key: RequestKey, outcome: RequestRecord.Outcome)] = []
        while let first = finished.first, first.until <= now {
            finished.removeFirst()
            if let entry = entries.removeValue(forKey: first.key) { forgotten.append((first.key, entry.outcome)) }
        }
        return forgotten
    }
}

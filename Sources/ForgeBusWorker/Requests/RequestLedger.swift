import DequeModule
import ForgeBusProtocol
import ForgeBusStore

/// Recognises a repeated request: keeps what was accepted under (principal, id), and its answer.
///
/// An entry begins only with an acceptance or a verdict; a refusal leaves no trace. Entries of unfinished runs stay;
/// finished ones stay for the announced retention. The window never shrinks silently: when it is full, the worker
/// refuses new work.
struct RequestLedger {
    /// One request, and its outcome.
    struct Entry {
        let fingerprint: Fingerprint
        let outcome: RequestRecord.Outcome
    }

    /// The ledger's knowledge about a request.
    enum Status {
        /// The request is unknown or forgotten, and there is room for it.
        case new
        /// The same request came before, with this outcome.
        case known(RequestRecord.Outcome)
        /// The id was used for other content; the run that content began, if it began one.
        case conflict(Name?)
        /// The request is new, and the window is full.
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

    /// The status of a request.
    func rule(on key: RequestKey, _ fingerprint: Fingerprint) -> Status {
        guard let entry = entries[key] else { return entries.count < capacity ? .new : .full }
        if entry.fingerprint == fingerprint { return .known(entry.outcome) }
        if case .run(let run) = entry.outcome { return .conflict(run) }
        return .conflict(nil)
    }

    /// Keeps an accepted request that is not finished.
    mutating func admit(_ record: RequestRecord) {
        entries[record.key] = Entry(fingerprint: record.fingerprint, outcome: record.outcome)
    }

    /// Ends a request: the ledger keeps it for the retention from now on.
    mutating func finish(_ key: RequestKey, at now: Moment) {
        finished.append((key, now.advanced(by: retention)))
    }

    /// Restores requests that an earlier worker finished, each with the moment when it expires.
    mutating func restore(finished: [(key: RequestKey, until: Moment)]) {
        guard !finished.isEmpty else { return }
        // Merged with those that were finished while the others were restored.
        self.finished = Deque((self.finished + finished).sorted { $0.until < $1.until })
    }

    /// Forgets the requests whose retention is over.
    ///
    /// - Returns: The forgotten requests, so that the store and the rest of the core forget them too.
    mutating func forget(at now: Moment) -> [(key: RequestKey, outcome: RequestRecord.Outcome)] {
        var forgotten: [(key: RequestKey, outcome: RequestRecord.Outcome)] = []
        while let first = finished.first, first.until <= now {
            finished.removeFirst()
            if let entry = entries.removeValue(forKey: first.key) { forgotten.append((first.key, entry.outcome)) }
        }
        return forgotten
    }
}

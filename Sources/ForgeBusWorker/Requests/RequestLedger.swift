import DequeModule
import ForgeBusProtocol
import ForgeBusStore

/// Recognises repeated requests: keeps each accepted request by principal and id, with its outcome.
///
/// An entry begins with an acceptance, a verdict or a confirmation (OK); a refusal leaves no trace. The entry of an
/// unfinished run stays. The entry of a finished request stays for the announced retention. The ledger forgets no entry
/// earlier: when it is full, the worker refuses new requests.
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
        /// The id came before with different content; the value is the run that the earlier request began, or nil.
        case conflict(Name?)
        /// The request is new, and the ledger is full.
        case full
    }

    private var entries = LargeTable<RequestKey, Entry>()
    /// The finished requests, in the order in which they are forgotten.
    ///
    /// The retention is the same for all requests, so new ones go to the end.
    private var finished: Deque<(key: RequestKey, until: Moment)> = []
    private let retention: Duration
    private let capacity: Int

    init(retention: Duration, capacity: Int) {
        self.retention = retention
        self.capacity = capacity
    }

    /// The number of kept requests.
    var count: Int { entries.count }

    /// When the next entry is forgotten; nil if no request is finished.
    var nextExpiry: Moment? { finished.first?.until }

    /// The status of a request.
    func rule(on key: RequestKey, _ fingerprint: Fingerprint) -> Status {
        guard let entry = entries[key] else { return entries.count < capacity ? .new : .full }
        if entry.fingerprint == fingerprint { return .known(entry.outcome) }
        if case .run(let run) = entry.outcome { return .conflict(run) }
        return .conflict(nil)
    }

    /// Adds an accepted request; the ledger keeps it until its retention is over, which ``finish(_:at:)`` starts.
    mutating func admit(_ record: RequestRecord) {
        entries[record.key] = Entry(fingerprint: record.fingerprint, outcome: record.outcome)
    }

    /// Starts the retention of a request that is finished.
    mutating func finish(_ key: RequestKey, at now: Moment) {
        finished.append((key, now.advanced(by: retention)))
    }

    /// Restores the retention of requests that an earlier worker finished, each with the moment when it expires.
    mutating func restore(finished: [(key: RequestKey, until: Moment)]) {
        guard !finished.isEmpty else { return }
        // The given requests are in no order.
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

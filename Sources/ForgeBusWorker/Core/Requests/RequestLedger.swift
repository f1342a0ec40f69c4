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

    /// Adds a request that began a run.
    mutating func admit(_ key: RequestKey, _ run: Name, fingerprint: Fingerprint = .none) {
        admit(RequestRecord(key: key, fingerprint: fingerprint, outcome: .run(run)))
    }

    /// Starts the retention of a request that is finished.
    mutating func finish(_ key: RequestKey, at now: Moment) {
        finished.append((key, now.advanced(by: retention)))
    }

    /// Restores the requests of an earlier worker.
    ///
    /// - Parameters:
    ///   - requests: The requests with a stored outcome; each was finished when it was stored.
    ///   - runs: The runs, each with the request that began it.
    ///   - now: The current time.
    mutating func restore(_ requests: [RequestRecord], _ runs: [RunRecord], at now: Moment) {
        func end(_ until: Int64) -> Moment { now.at(unix: until, atMost: retention) }
        for record in requests { admit(record) }
        for record in runs { admit(record.request, record.run, fingerprint: record.fingerprint) }
        // They are in no order.
        let ended =
            requests.map { (key: $0.key, until: end($0.until ?? now.unixMilliseconds)) }
            + runs.compactMap { run in run.end.map { (key: run.request, until: end($0.until)) } }
        finished = Deque((finished + ended).sorted { $0.until < $1.until })
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

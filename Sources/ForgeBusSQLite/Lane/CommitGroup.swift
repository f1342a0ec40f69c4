import ForgeBusStore

/// What several callers want kept, as one transaction writes it: of each key only what it comes to.
struct CommitGroup {
    /// What becomes of each key: the record, or nil where nothing is to be kept.
    private(set) var changes: [(key: StoreKey, record: StoreRecord?)] = []
    /// The journal's entries in their order.
    private(set) var entries: [JournalEntry] = []
    private var places: [StoreKey: Int] = [:]

    /// Takes changes that come after those before.
    mutating func add(_ changes: [StoreChange]) {
        for change in changes {
            switch change {
            case .put(let record): set(record, under: record.key)
            case .remove(let key): set(nil, under: key)
            case .append(let entry): entries.append(entry)
            }
        }
    }

    private mutating func set(_ record: StoreRecord?, under key: StoreKey) {
        if let place = places[key] {
            changes[place].record = record
        } else {
            places[key] = changes.count
            changes.append((key, record))
        }
    }
}

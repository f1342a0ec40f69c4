import ForgeBusStore

/// The changes of several callers as one transaction: of each key only the latest change.
struct CommitGroup {
    /// The latest change of each key: its record, or nil to remove it.
    private(set) var changes: [(key: StoreKey, record: StoreRecord?)] = []
    /// The journal entries, in order.
    private(set) var entries: [JournalEntry] = []
    private var places: [StoreKey: Int] = [:]

    /// Adds changes behind those it has.
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

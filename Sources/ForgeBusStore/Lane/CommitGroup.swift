/// The changes of several callers as one transaction, with only the latest change of each key.
package struct CommitGroup {
    /// The latest change of each key: the new record, or nil to remove the record.
    package private(set) var changes: [(key: StoreKey, record: StoreRecord?)] = []
    /// The journal entries, in order.
    package private(set) var entries: [JournalEntry] = []
    /// What actions printed, in order.
    package private(set) var outputs: [ActionOutput] = []
    /// The audit entries, in order.
    package private(set) var audit: [AuditEntry] = []
    /// The store may drop audit entries from before this time, in milliseconds since 1970.
    package private(set) var auditHorizon = Int64.min
    private var places: [StoreKey: Int] = [:]

    /// Creates an empty group.
    package init() {}

    /// Appends changes; a later change of a key replaces an earlier change of the same key.
    package mutating func add(_ changes: [StoreChange]) {
        for change in changes {
            switch change {
            case .put(let record): set(record, under: record.key)
            case .remove(let key): set(nil, under: key)
            case .append(let entry): entries.append(entry)
            case .output(let output): outputs.append(output)
            case .audit(let entry, let horizon):
                audit.append(entry)
                auditHorizon = max(auditHorizon, horizon)
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

public import ForgeBusStore

extension SQLiteStore: CopyableStore {
    /// The store's identity, and the ends of its audit.
    public func header() async throws(StoreError) -> StoreHeader { try await onLane { $0.header } }

    /// The next rows of `part` after `place`; each row is compared with its checksum.
    public func page(of part: StorePart, after place: Int64?) async throws(StoreError) -> StorePage {
        try await onLane { try $0.page(of: part, after: place) }
    }

    /// Makes the store an unfinished copy; its file must be new.
    public func beginCopy(of header: StoreHeader) async throws(StoreError) {
        try await onLane { try $0.beginCopy(of: header) }
    }

    /// Appends entries to the audit, as they are in another store.
    public func append(_ links: [AuditLink]) async throws(StoreError) { try await onLane { try $0.append(links) } }

    /// Does nothing: the lock keeps every other process from the store.
    public func checkUnchanged() async throws(StoreError) {}

    /// Makes the unfinished copy a store with the identity of the header.
    public func endCopy(of header: StoreHeader) async throws(StoreError) {
        try await onLane { try $0.endCopy(of: header) }
    }
}

#if PostgreSQL
public import ForgeBusStore

extension PostgreSQLStore: CopyableStore {
    /// The store's identity, and the ends of its audit.
    public func header() async throws(StoreError) -> StoreHeader { try await onLane { $0.header } }

    /// The next rows of `part` after `place`.
    public func page(of part: StorePart, after place: Int64?) async throws(StoreError) -> StorePage {
        try await onLane { try $0.page(of: part, after: place) }
    }

    /// Makes the worker's store an unfinished copy.
    ///
    /// The database must have no contents of the worker, except those of an earlier unfinished copy, which this method
    /// removes.
    public func beginCopy(of header: StoreHeader) async throws(StoreError) {
        try await onLane { try $0.beginCopy(of: header) }
    }

    /// Appends entries to the audit, as they are in another store.
    public func append(_ links: [AuditLink]) async throws(StoreError) { try await onLane { try $0.append(links) } }

    /// Checks that this process holds the worker, and that the database has no other commits than it had.
    public func checkUnchanged() async throws(StoreError) { try await onLane { try $0.settle() } }

    /// Makes the unfinished copy a store with the identity of the header, and with a higher epoch.
    public func endCopy(of header: StoreHeader) async throws(StoreError) {
        try await onLane { try $0.endCopy(of: header) }
    }
}
#endif

import ForgeBusStore

/// What the commits of a store have cost since it was loaded.
struct StoreCost {
    /// The number of rows written or removed.
    let rows: Int
    /// The number of transactions.
    let groups: Int
    /// The number of waits for the disk; 0 for a store that does not tell it.
    let fsyncs: Int

    init(of store: some BusStore) async throws {
        let stats = try await store.perform(.stats)
        func number(_ key: String) -> Int { Int(stats[key]?.integer ?? 0) }
        (rows, groups, fsyncs) = (number("rows"), number("groups"), number("fsyncs"))
    }

    var rowsPerGroup: Int { max(1, rows / max(1, groups)) }
}

import ForgeBusProtocol
import ForgeBusSQLite
import ForgeBusStore

/// Makes ended runs as a worker's store keeps them, to fill a store before a measure.
struct EndedRuns {
    let count: Int
    /// When the worker may delete the runs, in milliseconds since 1970.
    var until: Int64 = 1_790_086_400_100

    /// Writes the runs to a new store in a file.
    func fill(_ path: String) async throws {
        let store = SQLiteStore(path: path)
        _ = try await store.load()
        try await fill(store)
        await store.close()
    }

    /// Writes the runs to a store.
    func fill(_ store: any BusStore) async throws {
        for first in stride(from: 0, to: count, by: 1_000) {
            let changes = try (first..<min(count, first + 1_000)).map { StoreChange.put(.run(try run($0))) }
            let error = await withCheckedContinuation { done in store.commit(changes) { done.resume(returning: $0) } }
            if let error { throw error }
        }
    }

    private func run(_ number: Int) throws -> RunRecord {
        let id = try Name("run-1a2b3c4d5e6f7-\(number)")
        let actions = ["load", "rank", "write"].map { action in
            ActionOutcome(action: action, result: .completed, start: .zero, duration: .microseconds(10))
        }
        let result = RunResult(run: RunID(id), state: .completed, actions: actions, outputs: ["feed": "20 of 57 items"])
        return RunRecord(
            run: id,
            request: RequestKey(principal: "local", id: try RequestID("3f2a9c1e-5b7d-4e60-9a1b-\(number)")),
            fingerprint: Fingerprint(UInt64(number), 2, 3, 4),
            pipeline: "feed",
            definition: .none,
            principal: "local",
            seeds: [:],
            accepted: 1_790_000_000_000,
            end: RunRecord.End(result: result, ended: 1_790_000_000_100, until: until, hasTexts: false)
        )
    }
}

import ForgeBusSQLite
import ForgeBusStore
import StoreBehaviour
import Synchronization
import Testing

@Suite("Commits to disk")
struct GroupTests {
    private let directory: StoreDirectory

    init() throws { directory = try StoreDirectory() }

    @Test("of an idle store are each written at once")
    func idle() async throws {
        var options = StoreDirectory.options
        // Who had to gather would be here a minute later.
        options.groupDelay = .seconds(60)
        let store = directory.store(options)
        _ = try await store.load()
        var generator = RecordGenerator(seed: 1)
        for _ in 0..<20 { try await store.commit([.put(generator.record())]) }
        #expect(try await store.perform(.stats)["groups"] == 20)
        await store.close()
    }

    @Test("that are asked for at once are written in groups: of a thousand at most sixty")
    func thousand() async throws {
        let gate = Gate()
        let store = directory.store(gate.options)
        _ = try await store.load()
        var generator = RecordGenerator(seed: 2)
        store.commit([.put(generator.record(.mode))]) { _ in }
        gate.waitUntilReached()
        for record in generator.records(998, of: .signal) { store.commit([.put(record)]) { _ in } }
        gate.open()
        try await store.commit([.put(generator.record(.debt))])
        let stats = try await store.perform(.stats)
        #expect(stats["commits"] == 1_000)
        #expect(stats["rows"] == 1_000)
        #expect(try #require(stats["fsyncs"]?.integer) <= 60)
        await store.close()
    }

    @Test("of one group write each key once, and nothing for one that was not there and is not to be")
    func coalesced() async throws {
        let gate = Gate()
        let store = directory.store(gate.options)
        _ = try await store.load()
        var generator = RecordGenerator(seed: 3)
        let (first, second) = generator.twoOfOneKey()
        let passing = generator.record(.debt)
        // The first group stands before the disk while the others gather behind it.
        store.commit([.put(generator.record(.mode))]) { _ in }
        gate.waitUntilReached()
        store.commit([.put(first)]) { _ in }
        store.commit([.put(passing)]) { _ in }
        store.commit([.put(second)]) { _ in }
        store.commit([.remove(passing.key)]) { _ in }
        gate.open()
        _ = try await store.history(of: "x", limit: 1)
        let stats = try await store.perform(.stats)
        #expect(stats["commits"] == 5)
        #expect(stats["groups"] == 2)
        #expect(stats["rows"] == 2)
        await store.close()
        let next = directory.store()
        #expect(try await next.load().contains(second))
        await next.close()
    }

    @Test("are told only when they are on the disk")
    func afterCommit() async throws {
        let steps = Mutex<[String]>([])
        var options = StoreDirectory.options
        options.beforeCommit = { steps.withLock { $0.append("written") } }
        options.afterCommit = { steps.withLock { $0.append("committed") } }
        let store = directory.store(options)
        _ = try await store.load()
        var generator = RecordGenerator(seed: 4)
        await withCheckedContinuation { continuation in
            store.commit([.put(generator.record())]) { _ in
                steps.withLock { $0.append("told") }
                continuation.resume()
            }
        }
        #expect(steps.withLock { $0 } == ["written", "committed", "told"])
        await store.close()
    }

    @Test("all fail after one has failed, and none that was acknowledged is lost")
    func failStop() async throws {
        let fails = Mutex(false)
        var options = StoreDirectory.options
        let cause = StoreError(.inputOutput, "The disk is gone.", next: "Find it.")
        options.beforeCommit = { if fails.withLock({ $0 }) { throw cause } }
        let store = directory.store(options)
        _ = try await store.load()
        var generator = RecordGenerator(seed: 5)
        let kept = generator.records(10, of: .run)
        for record in kept { try await store.commit([.put(record)]) }
        fails.withLock { $0 = true }
        let error = await #expect(throws: StoreError.self) { try await store.commit([.put(generator.record())]) }
        #expect(error == cause)
        fails.withLock { $0 = false }
        for _ in 0..<5 {
            let later = await #expect(throws: StoreError.self) { try await store.commit([.put(generator.record())]) }
            #expect(later == error)
        }
        await store.close()
        let next = directory.store()
        #expect(Set(try await next.load()) == Set(kept))
        await next.close()
    }

    @Test("bring the log home before it grows large")
    func checkpoints() async throws {
        var options = StoreDirectory.options
        options.checkpointPages = 100
        let store = directory.store(options)
        _ = try await store.load()
        var generator = RecordGenerator(seed: 6)
        for _ in 0..<300 { try await store.commit(generator.records(5, of: .signal).map { .put($0) }) }
        let stats = try await store.perform(.stats)
        #expect((stats["checkpoints"]?.integer ?? 0) > 3)
        #expect((stats["log_size"]?.integer ?? .max) < 300 * 4096, "\(stats)")
        await store.close()
        #expect(try directory.contents()["store.db-wal"] == nil)
    }

    @Test("drop what is old or too much of the journal, a few entries at a time")
    func retention() async throws {
        let now = Mutex<Int64>(1_000_000)
        var options = StoreDirectory.options
        options.journalEntries = 50
        options.journalAge = .seconds(10)
        options.now = { now.withLock { $0 } }
        let store = directory.store(options)
        _ = try await store.load()
        for number in 0..<200 {
            try await store.commit([.append(JournalEntry(at: 1_000_000, "event-\(number)", run: "r"))])
        }
        let history = try await store.history(of: "r", limit: 1_000)
        #expect((50...52).contains(history.count))
        #expect(history.last?.event == "event-199")
        now.withLock { $0 = 1_010_001 }
        for _ in 0..<3 { try await store.commit([.append(JournalEntry(at: 1_010_001, "new", run: "r"))]) }
        #expect(try await store.history(of: "r", limit: 1_000).map(\.event) == ["new", "new", "new"])
        let verified = try await store.perform(.verify)
        #expect(verified["sound"] == true, "\(verified)")
        await store.close()
    }
}

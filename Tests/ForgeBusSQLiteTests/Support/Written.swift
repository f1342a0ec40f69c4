import ForgeBusProtocol
import ForgeBusSQLite
import ForgeBusStore
import StoreBehaviour

/// All that can be read from a store.
struct Content: Equatable {
    var records: [StoreKey: StoreRecord] = [:]
    var journal: [JournalEntry] = []

    init() {}

    /// Opens, reads and closes `store`.
    ///
    /// - Throws: ``StoreError`` with code `unsound` also when it says itself that it is not sound.
    init(of store: SQLiteStore) async throws(StoreError) {
        records = Dictionary(try await store.load().map { ($0.key, $0) }) { $1 }
        do throws(StoreError) {
            journal = try await store.history(of: Written.journaled, limit: 10_000)
            let verified = try await store.perform(.verify)
            if verified["sound"] != true { throw StoreError(.unsound, "journal: \(verified)", next: "") }
            await store.close()
        } catch {
            await store.close()
            throw error.code == .unsound ? StoreError(.unsound, "journal: \(error)", next: "") : error
        }
    }
}

/// A store with some hundred rows, and what it held after each of its commits.
struct Written {
    static let journaled: Name = "a.run"

    let store: SQLiteStore
    private(set) var contents = [Content()]

    var last: Content? { contents.last }

    /// A store that was closed.
    static func closed(in directory: StoreDirectory) async throws -> Written {
        let written = try await open(in: directory)
        await written.store.close()
        return written
    }

    /// A store that is open, with every commit in its log.
    static func open(in directory: StoreDirectory) async throws -> Written {
        var options = StoreDirectory.options
        options.checkpointPages = 1_000_000
        var written = Written(store: directory.store(options))
        _ = try await written.store.load()
        var generator = RecordGenerator(seed: 30)
        for number in 0..<60 { try await written.commit(&generator, number) }
        return written
    }

    private init(store: SQLiteStore) { self.store = store }

    private mutating func commit(_ generator: inout RecordGenerator, _ number: Int) async throws {
        var content = contents[contents.count - 1]
        var changes = (0..<6).map { _ in StoreChange.put(generator.record()) }
        for case .put(let record) in changes { content.records[record.key] = record }
        if let key = content.records.keys.min(by: { $0.text < $1.text }), number % 5 == 4 {
            changes.append(.remove(key))
            content.records[key] = nil
        }
        let entry = JournalEntry(
            at: .max,
            "event-\(number)",
            run: Self.journaled,
            details: ["number": .integer(Int64(number))]
        )
        changes.append(.append(entry))
        // What is verified finds it, too, if it is another.
        changes.append(.audit(AuditEntry(at: Int64(number), "event-\(number)", principal: "ada"), horizon: .min))
        content.journal.append(entry)
        try await store.commit(changes)
        contents.append(content)
    }
}

#if PostgreSQL
import ForgeBusPostgreSQL
import ForgeBusProtocol
import ForgeBusStore
import Foundation
import StoreBehaviour
import Testing

@Suite("A database for workers", .timeLimit(.minutes(30)))
struct ServerTests {
    @Test(
        "is refused where a worker must not use it",
        arguments: [
            ("CREATE DATABASE DB ENCODING 'LATIN1' TEMPLATE template0", .unavailable), ("SELECT 1", .unreachable),
        ] as [(String, StoreError.Code)]
    )
    func unsuitable(_ create: String, _ code: StoreError.Code) async throws {
        let server = try await PostgresServer.shared.value
        let database = unused("unsuitable")
        try await server.sql(create.replacing("DB", with: database))
        let store = PostgreSQLStore(server.target(database), name: "w")
        let error = await #expect(throws: StoreError.self) { try await store.load() }
        #expect(error?.code == code)
    }

    @Test("makes commits wait while its server does not wait for the disk, and is refused to a worker that begins")
    func withoutDisk() async throws {
        let server = try await PostgresServer()
        let rivals = Rivals(server: server)
        let troubles = AsyncStream<String?>.makeStream()
        let store = rivals.store { $0.troubles = { troubles.continuation.yield($0) } }
        var told = troubles.stream.makeAsyncIterator()
        _ = try await store.load()
        try await server.set("fsync", to: "off")
        let error = await #expect(throws: StoreError.self) { try await Rivals(server: server).store().load() }
        #expect(error?.kind == .refused(state: "FB010"))
        let isDone = Flag()
        let waiting = Task {
            try await store.commit([.put(record(1))])
            isDone.set()
        }
        #expect(await told.next() != .some(nil))
        #expect(!isDone.isSet)
        try await server.set("fsync", to: "on")
        try await waiting.value
        #expect(await told.next() == .some(nil))
        await store.close()
    }

    @Test("is refused where the role may not make the schema")
    func noRight() async throws {
        let server = try await PostgresServer.shared.value
        let (database, role) = (unused("others"), unused("weak"))
        try await server.sql("CREATE DATABASE \(database)")
        try await server.sql("CREATE ROLE \(role) LOGIN")
        let store = PostgreSQLStore("host=\(server.directory) user=\(role) dbname=\(database)", name: "w")
        let error = await #expect(throws: StoreError.self) { try await store.load() }
        #expect(error?.kind == .refused(state: "42501"))
    }

    @Test("is refused when a newer program has made the schema")
    func newer() async throws {
        let server = try await PostgresServer.shared.value
        let database = unused("newer")
        try await server.sql("CREATE DATABASE \(database)")
        let store = PostgreSQLStore(server.target(database), name: "w")
        _ = try await store.load()
        await store.close()
        try await server.sql("INSERT INTO forgebus.schema_versions VALUES (99)", database: database)
        let error = await #expect(throws: StoreError.self) { try await store.load() }
        #expect(error?.code == .unsound && error?.kind == .newer)
    }

    @Test("keeps workers apart by their names, and makes the schema once for those that begin together")
    func names() async throws {
        let server = try await PostgresServer.shared.value
        let database = unused("many")
        try await server.sql("CREATE DATABASE \(database)")
        let stores = (1...6).map { PostgreSQLStore(server.target(database), name: "w\($0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, store) in stores.enumerated() {
                group.addTask {
                    _ = try await store.load()
                    try await store.commit([.put(record(number))])
                }
            }
            try await group.waitForAll()
        }
        #expect(Set(stores.map(\.identity)).count == 6)
        for store in stores { await store.close() }
        for (number, store) in stores.enumerated() {
            #expect(try await store.load().numbers == [Int64(number)])
            await store.close()
        }
    }

    @Test("shows runs, gates and the history to people with psql")
    func views() async throws {
        let server = try await PostgresServer.shared.value
        let rivals = Rivals(server: server)
        let store = rivals.store()
        _ = try await store.load()
        var generator = RecordGenerator(seed: 60)
        // As hostile as records may be: each view can be read all the same.
        let records = generator.records(200, of: .run) + generator.records(200, of: .signal)
        try await store.commit(records.map { .put($0) })
        try await store.commit((1...50).map { .append(generator.entry(at: 4_000_000_000_000 + $0, among: ["x"])) })
        for (view, count) in [("runs", "200"), ("gates", "200"), ("history", "50")] {
            let rows = "SELECT * FROM forgebus.\(view) WHERE worker = '\(rivals.name)'"
            #expect(try await server.sql("SELECT count(t::text) FROM (\(rows)) AS t") == count, "\(view)")
        }
        await store.close()
    }

    @Test("that was altered is found to be so")
    func altered() async throws {
        let server = try await PostgresServer.shared.value
        for change in [
            "DELETE FROM forgebus.journal WHERE worker = $W AND number = 5",
            "DELETE FROM forgebus.journal WHERE worker = $W AND number = 9",
            "DELETE FROM forgebus.records WHERE worker = $W AND key = 'm-2'",
            "UPDATE forgebus.records SET value = '\\x01ff' WHERE worker = $W",
            "UPDATE forgebus.audit SET entry = '\\x00' WHERE worker = $W AND number = 3",
            "DELETE FROM forgebus.audit WHERE worker = $W AND number = 4",
        ] {
            let rivals = Rivals(server: server)
            let store = rivals.store()
            _ = try await store.load()
            var generator = RecordGenerator(seed: 61)
            try await store.commit([.put(record(1)), .put(record(2))])
            // A record that is written again, or removed, is not missing.
            try await store.commit([.put(record(2)), .put(record(3))])
            try await store.commit([.remove(record(3).key), .remove(record(4).key)])
            for _ in 1...9 {
                try await store.commit([
                    .append(generator.entry(about: record(1))), .audit(generator.auditEntry(at: 1), horizon: .min),
                ])
            }
            #expect(try await store.perform(.verify)["sound"] == true)
            let id = try await server.sql("SELECT id FROM forgebus.workers WHERE name = '\(rivals.name)'")
            try await server.sql(change.replacing("$W", with: id))
            let found = try await store.perform(.verify)
            #expect(found["sound"] == false, "\(change): \(found)")
            await store.close()
        }
    }

    @Test("drops old journal entries by their age and their number, and no others")
    func retention() async throws {
        let server = try await PostgresServer.shared.value
        let rivals = Rivals(server: server)
        let time = TestTime(10_000)
        let store = rivals.store {
            ($0.journalEntries, $0.journalAge, $0.now) = (100, .milliseconds(1_000), { time.value })
        }
        _ = try await store.load()
        func append(_ times: ClosedRange<Int64>) async throws {
            for at in times { try await store.commit([.append(JournalEntry(at: at, "e", monitor: "m"))]) }
        }
        try await append(9_900...10_050)
        #expect(try await store.history(of: "m", limit: 1_000).map(\.unixMilliseconds) == Array(9_951...10_050))
        time.value = 11_010
        try await append(10_051...10_051)
        #expect(try await store.history(of: "m", limit: 1_000).map(\.unixMilliseconds) == Array(10_010...10_051))
        await store.close()
    }

    @Test("is not shown with the password that its URL has by mistake", arguments: ["100%sure", "a/b", "a b"])
    func password(_ password: String) async throws {
        let store = PostgreSQLStore("postgres://forgebus:\(password)@127.0.0.1:1/forgebus", name: "w")
        let error = await #expect(throws: StoreError.self) { try await store.load() }
        #expect(error?.description.contains(password) == false, "\(error?.description ?? "")")
        #expect(error?.description.contains(password.prefix(3)) == false, "\(error?.description ?? "")")
    }

    @Test("cannot have a name or a lease that no worker can have")
    func options() async throws {
        let target = try await PostgresServer.shared.value.target()
        for (name, lease, margin) in [
            ("", 10, 2), (String(repeating: "n", count: 33), 10, 2), ("n", 10, 6), ("n", 0, 0),
        ] {
            var options = PostgreSQLStoreOptions()
            (options.lease, options.margin) = (.seconds(lease), .seconds(margin))
            let store = PostgreSQLStore(target, name: name, options: options)
            let error = await #expect(throws: StoreError.self) { try await store.load() }
            #expect(error?.code == .usage)
        }
    }

    @Test("makes a worker acknowledge as `replicated` only while its commits wait for a replica")
    func replicated() async throws {
        let server = try await PostgresServer()
        // The store sets what it needs itself.
        try await server.set("synchronous_commit", to: "local")
        let rivals = Rivals(server: server)
        let troubles = AsyncStream<String?>.makeStream()
        let store = rivals.store { ($0.replicated, $0.troubles) = (true, { troubles.continuation.yield($0) }) }
        var told = troubles.stream.makeAsyncIterator()
        #expect(store.durability == .replicated)
        let refusal = await #expect(throws: StoreError.self) { try await store.load() }
        #expect(refusal?.code == .unreachable)
        #expect(refusal?.kind == .refused(state: "FB007"))
        try await server.startReplica()
        try await server.waitForReplicas("*")
        _ = try await store.load()
        try await store.commit([.put(record(1))])
        while try await server.sql("SELECT count(*) FROM forgebus.records", on: server.replica) != "1" {
            try await Task.sleep(for: .milliseconds(5))
        }
        // The wait of a commit for a replica ends without a warning when the list of replicas becomes empty.
        try await server.waitForReplicas("nobody")
        let isDone = Flag()
        let waiting = Task {
            try await store.commit([.put(record(2))])
            isDone.set()
        }
        try await rivals.until(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'forgebus \(rivals.name)'",
            is: "1"
        )
        try await server.waitForReplicas("")
        #expect(await told.next() != .some(nil))
        #expect(!isDone.isSet)
        try await server.waitForReplicas("*")
        try await waiting.value
        #expect(await told.next() == .some(nil))
        await store.close()
        #expect(try await rivals.store().load().numbers == [1, 2])
    }

    @Test("leaves backups to PostgreSQL's programs")
    func backup() async throws {
        let store = Rivals(server: try await PostgresServer.shared.value).store()
        _ = try await store.load()
        let error = await #expect(throws: StoreError.self) { try await store.perform(.backup(name: "b")) }
        #expect(error?.code == .usage)
        await store.close()
    }
}

/// A name for a database or a role that no other test has.
private func unused(_ name: String) -> String { "\(name)_\(UUID().uuidString.prefix(8).lowercased())" }
#endif

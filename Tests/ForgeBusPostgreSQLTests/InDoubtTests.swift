#if PostgreSQL
import ForgeBusPostgreSQL
import ForgeBusProtocol
import ForgeBusStore
import Foundation
import Scorecard
import StoreBehaviour
import Testing

@Suite("A commit whose answer does not come", .timeLimit(.minutes(30)), .scorecard(19))
struct InDoubtTests {
    private func rivals() async throws -> Rivals { Rivals(server: try await PostgresServer.shared.value) }

    @Test(
        "is done once, whether the server got it, did not get it, or gets it later",
        arguments: [Relay.Cut.before, .after, .late, .overtaking]
    )
    func once(_ cut: Relay.Cut) async throws {
        let rivals = try await rivals()
        let relay = try Relay(to: rivals.server.socket)
        let store = rivals.store(through: relay)
        _ = try await store.load()
        try await store.commit([.put(record(1))])
        let before = try await rivals.number()
        relay.cutNextCommit(cut)
        try await store.commit([.put(record(2)), .append(entry(2))])
        #expect(relay.cuts == 1)
        #expect(try await rivals.number() == before + 1)
        // What came before must not come back.
        try await store.commit([.remove(record(2).key)])
        relay.release()
        #expect(try await rivals.number() == before + 2)
        #expect(try await store.history(of: "m-2", limit: 9).count == 1)
        await store.close()
        #expect(try await rivals.reloaded().numbers == [1])
    }

    @Test("is done once, and in order, through hundreds of cuts")
    func many() async throws {
        let rivals = try await rivals()
        let relay = try Relay(to: rivals.server.socket)
        let store = rivals.store(through: relay)
        _ = try await store.load()
        for number in 1...200 {
            relay.cutNextCommit(number.isMultiple(of: 2) ? .before : .after)
            try await store.commit([
                .put(record(number)), .append(entry(0, at: number)), .audit(audit(at: number), horizon: .min),
            ])
        }
        #expect(relay.cuts == 200)
        Scorecard.count(200)
        let history = try await store.history(of: "m-0", limit: 1_000)
        #expect(history.map(\.unixMilliseconds) == history.indices.map { baseTime + Int64($0) + 1 })
        #expect(history.count == 200)
        #expect(try await store.perform(.auditCheck(head: nil))["entries"] == 200)
        #expect(try await store.perform(.verify)["sound"] == true)
        await store.close()
        #expect(try await rivals.reloaded().numbers == Array(1...200))
    }

    @Test("waits while the server is away, and is done when it is back")
    func away() async throws {
        let rivals = try await rivals()
        let relay = try Relay(to: rivals.server.socket)
        let store = rivals.store(through: relay)
        _ = try await store.load()
        relay.refuse(true)
        let commit = Task { try await store.commit([.put(record(1))]) }
        await relay.refused()
        relay.refuse(false)
        try await commit.value
        await store.close()
        #expect(try await rivals.reloaded().numbers == [1])
    }

    @Test("fails when the lease ends before the server is back")
    func overdue() async throws {
        let rivals = try await rivals()
        let relay = try Relay(to: rivals.server.socket)
        let clock = TestClock()
        let store = rivals.store(clock, through: relay)
        _ = try await store.load()
        relay.refuse(true)
        let commit = Task { try await store.commit([.put(record(1))]) }
        clock.advance(by: .seconds(7_200))
        #expect(await commit.result.error?.code == .superseded)
        relay.refuse(false)
        await store.close()
    }

    @Test("is not taken for done on a server that lacks earlier commits, and the store says so")
    func lacking() async throws {
        let rivals = try await rivals()
        let relay = try Relay(to: rivals.server.socket)
        let store = rivals.store(through: relay)
        _ = try await store.load()
        for number in 1...3 { try await store.commit([.put(record(number))]) }
        // As after a fail-over to a replica that had not caught up.
        try await rivals.server.sql("UPDATE forgebus.workers SET number = number - 1 WHERE name = '\(rivals.name)'")
        relay.cutAll()
        let error = await #expect(throws: StoreError.self) { try await store.commit([.put(record(4))]) }
        #expect(error?.code == .unsound && error?.kind == .lacksCommits)
        await store.close()
    }

    @Test("is not sent to a database that has another store by now")
    func other() async throws {
        let rivals = try await rivals()
        let relay = try Relay(to: rivals.server.socket)
        let store = rivals.store(through: relay)
        _ = try await store.load()
        try await rivals.server.sql(
            "UPDATE forgebus.workers SET identity = 'other', tenure = 'other' WHERE name = '\(rivals.name)'"
        )
        relay.cutAll()
        let error = await #expect(throws: StoreError.self) { try await store.commit([.put(record(1))]) }
        #expect(error?.code == .unsound)
        await store.close()
    }

    @Test("waits while the disk of the server is full, and is done when there is room again")
    func diskFull() async throws {
        let server = try await PostgresServer()
        let rivals = Rivals(server: server)
        let told = AsyncStream<String?>.makeStream()
        let store = rivals.store { $0.troubles = { told.continuation.yield($0) } }
        _ = try await store.load()
        let change = try await server.sql("SELECT pg_get_functiondef('forgebus.change'::regproc)")
        let full = "RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'"
        let arguments = try await server.sql("SELECT pg_get_function_arguments('forgebus.change'::regproc)")
        try await server.sql(
            "CREATE OR REPLACE FUNCTION forgebus.change(\(arguments)) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN \(full); END $$"
        )
        let commit = Task { try await store.commit([.put(record(1))]) }
        var troubles = told.stream.makeAsyncIterator()
        #expect(await troubles.next()??.contains("53100") == true)
        try await server.sql(change)
        try await commit.value
        #expect(await troubles.next() == .some(nil))
        await store.close()
        #expect(try await rivals.reloaded().numbers == [1])
    }

    @Test("is not said to be done while a replica may not have it")
    func warned() async throws {
        let server = try await PostgresServer()
        // Even if warnings are not wanted.
        try await server.sql("ALTER DATABASE forge SET client_min_messages = error")
        let rivals = Rivals(server: server)
        let store = rivals.store()
        _ = try await store.load()
        try await server.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        try await server.sql("SELECT pg_reload_conf()")
        try await rivals.until("SHOW synchronous_standby_names", is: "nobody")
        let isDone = Flag()
        let commit = Task {
            try await store.commit([.put(record(1))])
            isDone.set()
        }
        // Somebody cancels the wait for the replica, three times: the server then says only a warning.
        var last = "-"
        for _ in 1...3 {
            let waiting = """
                FROM pg_stat_activity WHERE application_name = 'forgebus \(rivals.name)' AND wait_event = 'SyncRep'
                    AND xact_start::text <> '\(last)'
                """
            try await rivals.until("SELECT count(*) \(waiting)", is: "1")
            let next = try await server.sql("SELECT xact_start \(waiting)")
            try await server.sql("SELECT pg_cancel_backend(pid) \(waiting)")
            last = next
        }
        #expect(try await server.sql("SELECT count(*) FROM forgebus.records") == "1")
        #expect(!isDone.isSet)
        try await server.sql("ALTER SYSTEM RESET synchronous_standby_names")
        try await server.sql("SELECT pg_reload_conf()")
        try await commit.value
        #expect(try await rivals.number() == 1)
        await store.close()
    }

    @Test("is not ended by a time limit for statements, nor is what is read")
    func statementTimeout() async throws {
        let server = try await PostgresServer.shared.value
        let database = "limited_\(UUID().uuidString.prefix(8).lowercased())"
        try await server.sql("CREATE DATABASE \(database)")
        let store = PostgreSQLStore(server.target(database), name: "w")
        _ = try await store.load()
        try await store.commit([.put(record(1)), .append(entry(1))])
        // From here on, each takes longer than the limit, which holds for the next connections.
        let slow = """
            CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.1); RETURN NEW; END $$;
            CREATE TRIGGER slow BEFORE INSERT ON forgebus.records FOR EACH ROW EXECUTE FUNCTION slow();
            ALTER TABLE forgebus.journal RENAME TO kept;
            CREATE VIEW forgebus.journal AS SELECT kept.* FROM forgebus.kept, pg_sleep(0.1);
            """
        try await server.sql(slow, database: database)
        try await server.sql("ALTER DATABASE \(database) SET statement_timeout = '50ms'")
        try await server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database)'")
        try await store.commit([.put(record(2))])
        #expect(try await store.history(of: "m-1", limit: 9).count == 1)
        await store.close()
    }

    @Test("outlives a restart of the server, even one that is a crash")
    func restart() async throws {
        let server = try await PostgresServer()
        let rivals = Rivals(server: server)
        let store = rivals.store()
        _ = try await store.load()
        let isOver = Flag()
        let commits = Task {
            var number = 0
            while !isOver.isSet {
                number += 1
                try await store.commit([.put(record(number))])
            }
            return number
        }
        for _ in 1...3 { try await server.restart() }
        isOver.set()
        let count = try await commits.value
        await store.close()
        #expect(try await rivals.reloaded().numbers == Array(1...Int64(count)))
    }
}

private let baseTime: Int64 = 4_000_000_000_000

private func entry(_ number: Int, at time: Int = 0) -> JournalEntry {
    JournalEntry(at: baseTime + Int64(time), "tested", monitor: Name(stringLiteral: "m-\(number)"))
}

private func audit(at time: Int) -> AuditEntry {
    AuditEntry(
        at: Int64(time),
        "tested",
        principal: nil,
        key: nil,
        request: nil,
        allowedBy: nil,
        facts: [:]
    )
}

extension Rivals {
    /// How many commits the worker has made, by the database.
    fileprivate func number() async throws -> Int {
        Int(try await server.sql("SELECT number FROM forgebus.workers WHERE name = '\(name)'")) ?? -1
    }

    /// What another process finds.
    fileprivate func reloaded() async throws -> [StoreRecord] {
        let next = store()
        let records = try await next.load()
        await next.close()
        return records
    }
}
#endif

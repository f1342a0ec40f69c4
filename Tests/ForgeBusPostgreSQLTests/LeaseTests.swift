#if PostgreSQL
import ForgeBusPostgreSQL
import ForgeBusStore
import ForgeLocks
import Foundation
import Scorecard
import StoreBehaviour
import Testing

@Suite("The lease of a worker's name", .timeLimit(.minutes(30)), .scorecard(19))
struct LeaseTests {
    private func rivals() async throws -> Rivals { Rivals(server: try await PostgresServer.shared.value) }

    @Test("is free again when its holder has closed the store")
    func released() async throws {
        let rivals = try await rivals()
        let first = rivals.store()
        #expect(try await first.load().isEmpty)
        try await first.commit([.put(record(1))])
        #expect(first.lease?.epoch == 1)
        await first.close()
        let second = rivals.store()
        #expect(try await second.load().numbers == [1])
        #expect(second.lease?.epoch == 2)
        await second.close()
    }

    @Test("passes to another process that has seen no renewal for as long as it lasts, and no earlier")
    func takenOver() async throws {
        let rivals = try await rivals()
        let (holder, clock) = (rivals.store(renews: false), TestClock())
        _ = try await holder.load()
        try await holder.commit([.put(record(1))])
        let taker = rivals.store(clock)
        let isLoaded = Flag()
        let observing = Task {
            _ = try await taker.load()
            isLoaded.set()
        }
        // So many looks at the lease are enough: time passes only for the clock of the test.
        try await rivals.observations(2)
        clock.advance(by: .seconds(3_000))
        try await rivals.observations(20)
        #expect(!isLoaded.isSet)
        clock.advance(by: .seconds(700))
        try await observing.value
        #expect(taker.lease?.epoch == 2)
        await taker.close()
        await holder.close()
    }

    @Test("does not pass while its holder renews it")
    func renewed() async throws {
        let rivals = try await rivals()
        let (holder, clock) = (rivals.store(), TestClock())
        _ = try await holder.load()
        let taker = rivals.store(clock)
        let isLoaded = Flag()
        let observing = Task {
            _ = try await taker.load()
            isLoaded.set()
        }
        for _ in 1...5 {
            #expect(await holder.confirmed() == nil)
            clock.advance(by: .seconds(3_000))
            try await rivals.observations(20)
        }
        #expect(!isLoaded.isSet)
        observing.cancel()
        #expect(await observing.result.error?.code == .cancelled)
        await holder.close()
    }

    @Test("keeps the one that lost it from writing, whatever its clock says")
    func fenced() async throws {
        let rivals = try await rivals()
        let (holder, clock) = (rivals.store(renews: false), TestClock())
        _ = try await holder.load()
        try await holder.commit([.put(record(1))])
        let taker = rivals.store(clock)
        let records = Task { try await taker.load() }
        try await rivals.observations(2)
        clock.advance(by: .seconds(3_700))
        #expect(try await records.value.numbers == [1])
        // Its own clock stood still, as that of a virtual machine does that was suspended.
        #expect(holder.lease?.error == nil)
        let error = await #expect(throws: StoreError.self) { try await holder.commit([.put(record(2))]) }
        #expect(error?.code == .superseded)
        try await taker.commit([.put(record(3))])
        await holder.close()
        await taker.close()
        let next = rivals.store()
        #expect(try await next.load().numbers == [1, 3])
        await next.close()
    }

    @Test("is not taken over by one whose first look at it took as long as it lasts")
    func slowLook() async throws {
        let rivals = try await rivals()
        let holder = rivals.store(renews: false)
        _ = try await holder.load()
        let (clock, looks) = (TestClock(), Flag())
        let taker = rivals.store(clock) { options in
            let looked = options.observed
            options.observed = {
                // The first answer comes an hour late.
                if !looks.isSet { clock.advance(by: .seconds(3_600)) }
                looks.set()
                looked?()
            }
        }
        let isLoaded = Flag()
        let observing = Task {
            _ = try await taker.load()
            isLoaded.set()
        }
        try await rivals.observations(20)
        #expect(!isLoaded.isSet)
        observing.cancel()
        #expect(await observing.result.error?.code == .cancelled)
        await holder.close()
    }

    @Test("is not that of another process, to which a database that lacks commits gave the same epoch")
    func sameEpoch() async throws {
        let rivals = try await rivals()
        let holder = rivals.store(renews: false)
        _ = try await holder.load()
        // As on a replica that had not got the take-over.
        let me = "(SELECT id FROM forgebus.workers WHERE name = '\(rivals.name)')"
        try await rivals.server.sql("UPDATE forgebus.workers SET epoch = 0, tenure = '' WHERE id = \(me)")
        try await rivals.server.sql(
            "UPDATE forgebus.leases SET epoch = 0, tenure = '', renewal = NULL WHERE worker = \(me)"
        )
        let taker = rivals.store()
        _ = try await taker.load()
        #expect(taker.lease?.epoch == holder.lease?.epoch)
        #expect(await holder.confirmed()?.code == .unsound)
        let error = await #expect(throws: StoreError.self) { try await holder.commit([.put(record(1))]) }
        #expect(error?.code == .unsound)
        try await taker.commit([.put(record(2))])
        await holder.close()
        await taker.close()
    }

    @Test("runs out where its holder is closed while its work may still have effects")
    func kept() async throws {
        let rivals = try await rivals()
        let (holder, clock) = (rivals.store(), TestClock())
        _ = try await holder.load()
        holder.lease?.keepUntilItEnds()
        await holder.close()
        let taker = rivals.store(clock)
        let isLoaded = Flag()
        let observing = Task {
            _ = try await taker.load()
            isLoaded.set()
        }
        try await rivals.observations(20)
        #expect(!isLoaded.isSet)
        clock.advance(by: .seconds(3_700))
        try await observing.value
        await taker.close()
    }

    @Test("confirms nothing to the one that lost it")
    func unconfirmed() async throws {
        let rivals = try await rivals()
        let (holder, clock) = (rivals.store(renews: false), TestClock())
        _ = try await holder.load()
        let taker = rivals.store(clock)
        let records = Task { try await taker.load() }
        try await rivals.observations(2)
        clock.advance(by: .seconds(3_700))
        _ = try await records.value
        #expect(await holder.confirmed()?.code == .superseded)
        #expect(holder.lease?.error?.code == .superseded)
        await holder.close()
        await taker.close()
    }

    @Test("ends by the holder's own clock a margin before anybody can take it over, counted from before a renewal")
    func ends() async throws {
        let rivals = try await rivals()
        let clock = TestClock()
        let holder = rivals.store(clock, renews: false) {
            // Each renewal takes so long.
            $0.renewing = { clock.advance(by: .seconds(10)) }
        }
        _ = try await holder.load()
        clock.advance(by: .seconds(3_500))
        #expect(holder.lease?.error == nil)
        #expect(await holder.confirmed() == nil)
        clock.advance(by: .seconds(3_500))
        #expect(holder.lease?.error == nil)
        clock.advance(by: .seconds(35))
        #expect(holder.lease?.error?.code == .superseded)
        // A renewal that comes back now is too late.
        #expect(await holder.confirmed()?.code == .superseded)
        let error = await #expect(throws: StoreError.self) { try await holder.commit([.put(record(1))]) }
        #expect(error?.code == .superseded)
        await holder.close()
        // Nothing was sent either: the server would carry it out, although nobody waited for its answer.
        let name = rivals.name
        try await rivals.until(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'forgebus \(name)%'",
            is: "0"
        )
        let records = try await rivals.server.sql(
            "SELECT count(*) FROM forgebus.records WHERE worker = (SELECT id FROM forgebus.workers WHERE name = '\(name)')"
        )
        #expect(records == "0")
    }

    @Test("passes although a transaction of its holder is still open")
    func openTransaction() async throws {
        let rivals = try await rivals()
        let (holder, clock) = (rivals.store(renews: false), TestClock())
        _ = try await holder.load()
        // As if the holder was suspended while it sent a transaction: its row stays locked.
        let id = try await rivals.server.sql("SELECT id FROM forgebus.workers WHERE name = '\(rivals.name)'")
        let locking = Task {
            try await rivals.server.sqlUntilCutOff(
                "BEGIN; SELECT forgebus.confirm(id, identity, tenure, epoch, false, 0) FROM forgebus.workers WHERE id = \(id); "
                    + "SELECT pg_sleep(3600)"
            )
        }
        try await rivals.until("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = \(id)", is: "1")
        let taker = rivals.store(clock)
        let records = Task { try await taker.load() }
        try await rivals.observations(2)
        clock.advance(by: .seconds(3_700))
        _ = try await records.value
        #expect(taker.lease?.epoch == 2)
        try await locking.value
        await taker.close()
        await holder.close()
    }

    @Test("passes from a process that failed only to one with the same definitions, and from a stopped one to any")
    func definitions() async throws {
        let rivals = try await rivals()
        let (holder, clock) = (rivals.store(renews: false) { $0.definitions = "old" }, TestClock())
        _ = try await holder.load()
        let told = Guarded<[PostgreSQLStoreOptions.Standby]>([])
        let other = rivals.store(clock) { options in
            options.definitions = "new"
            options.waits = { standby in told.withLock { $0.append(standby) } }
        }
        let waiting = Task { try await other.load() }
        try await rivals.observations(2)
        clock.advance(by: .seconds(3_700))
        try await rivals.observations(20)
        #expect(other.lease == nil)
        let process = "\(ProcessInfo.processInfo.hostName), process \(ProcessInfo.processInfo.processIdentifier)"
        #expect(told.withLock { $0 } == [.heldWithOtherDefinitions(by: process), .failedWithOtherDefinitions(process)])
        waiting.cancel()
        #expect(await waiting.result.error?.code == .cancelled)
        // One that is told to.
        let replacing = rivals.store(clock) { ($0.definitions, $0.replacesDefinitions) = ("new", true) }
        let taking = Task { try await replacing.load() }
        try await rivals.observations(2)
        clock.advance(by: .seconds(3_700))
        _ = try await taking.value
        #expect(replacing.lease?.epoch == 2)
        await replacing.close()
        await holder.close()
        let next = rivals.store { $0.definitions = "newer" }
        _ = try await next.load()
        #expect(next.lease?.epoch == 3)
        await next.close()
    }

    @Test("is held by one of many processes that begin together, each name by itself")
    func race() async throws {
        let rivals = try await rivals()
        let stores = (0..<8).map { _ in rivals.store() }
        let other = Rivals(server: rivals.server).store()
        let held = try await withThrowingTaskGroup(of: Int?.self) { group in
            for (index, store) in stores.enumerated() {
                group.addTask {
                    do {
                        _ = try await store.load()
                        return index
                    } catch {
                        return nil
                    }
                }
            }
            let first = try await group.next()
            group.cancelAll()
            return try await group.reduce(into: [first ?? nil]) { $0.append($1) }.compactMap { $0 }
        }
        #expect(held.count == 1)
        #expect(try await other.load().isEmpty)
        for store in stores + [other] { await store.close() }
    }
}

extension PostgreSQLStore {
    /// The error of a renewal that begins now; nil if this process holds the name.
    func confirmed() async -> StoreError? {
        await withCheckedContinuation { continuation in lease?.confirm { continuation.resume(returning: $0) } }
    }
}
#endif

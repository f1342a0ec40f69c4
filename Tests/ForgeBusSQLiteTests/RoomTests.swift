import ForgeBusSQLite
import ForgeBusStore
import Foundation
import Scorecard
import StoreBehaviour
import Testing

/// A disk that is full, for which the test mounts one of its own.
@Suite("A store whose disk is full", .scorecard(4), .enabled(if: SmallDisk.isPossible, SmallDisk.reason))
struct RoomTests {
    private static var options: SQLiteStoreOptions {
        var options = SQLiteStoreOptions()
        options.reserveSizeInBytes = 4 << 20
        options.floorInBytes = 6 << 20
        options.marginInBytes = 1 << 20
        options.roomInterval = .milliseconds(5)
        return options
    }

    @Test("finishes what has begun from its reserve, says that room is short, and recovers by itself")
    func reserve() async throws {
        let disk = try SmallDisk(sizeInBytes: 24 << 20)
        let store = SQLiteStore(path: disk.path + "/store.db", options: Self.options)
        let (told, observer) = AsyncStream.makeStream(of: StoreRoom.self)
        var rooms = told.makeAsyncIterator()
        _ = try await store.load()
        store.observeRoom { observer.yield($0) }
        var generator = RecordGenerator(seed: 50)
        var kept = generator.records(20, of: .signal)
        try await store.commit(kept.map { .put($0) })

        try disk.fill()
        for record in generator.records(100, of: .run) {
            try await store.commit([.put(record)])
            kept.append(record)
        }
        #expect(await rooms.next() == .short)
        #expect(!disk.has("store.db.reserve"))

        try disk.empty()
        #expect(await rooms.next() == .ample)
        #expect(disk.has("store.db.reserve"))
        await store.close()
        let next = SQLiteStore(path: disk.path + "/store.db", options: Self.options)
        #expect(Set(try await next.load()) == Set(kept))
        await next.close()
    }

    @Test("tells whoever asks later that room is short")
    func shortFromTheStart() async throws {
        let disk = try SmallDisk(sizeInBytes: 5 << 20)
        let store = SQLiteStore(path: disk.path + "/store.db", options: Self.options)
        _ = try await store.load()
        let (told, observer) = AsyncStream.makeStream(of: StoreRoom.self)
        var rooms = told.makeAsyncIterator()
        store.observeRoom { observer.yield($0) }
        #expect(await rooms.next() == .short)
        await store.close()
    }

    @Test("acknowledges nothing that it has no room for, and keeps what it acknowledged")
    func nothingLeft() async throws {
        let disk = try SmallDisk(sizeInBytes: 8 << 20)
        var options = Self.options
        options.reserveSizeInBytes = 256 << 10
        let store = SQLiteStore(path: disk.path + "/store.db", options: options)
        _ = try await store.load()
        var generator = RecordGenerator(seed: 51)
        var kept = generator.records(20, of: .signal)
        try await store.commit(kept.map { .put($0) })
        try disk.fill()
        var failure: StoreError?
        while failure == nil {
            let record = generator.record(.run)
            do {
                try await store.commit([.put(record)])
                kept.removeAll { $0.key == record.key }
                kept.append(record)
            } catch { failure = error }
        }
        #expect(failure?.code == .inputOutput)
        let later = await #expect(throws: StoreError.self) { try await store.commit([.put(generator.record())]) }
        #expect(later == failure)
        await store.close()
        try disk.empty()
        let next = SQLiteStore(path: disk.path + "/store.db", options: options)
        #expect(Set(try await next.load()) == Set(kept))
        await next.close()
    }
}

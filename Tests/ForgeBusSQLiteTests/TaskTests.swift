import ForgeBusProtocol
import ForgeBusSQLite
import ForgeBusStore
import Foundation
import StoreBehaviour
import Synchronization
import Testing

@Suite("An operator's task on disk")
struct TaskTests {
    private let directory: StoreDirectory

    init() throws { directory = try StoreDirectory() }

    @Test("copies everything to a file that is a store of its own")
    func backup() async throws {
        let written = try await Written.open(in: directory)
        let answer = try await written.store.perform(.backup(name: "monday.db"))
        let path = directory.path + "/monday.db"
        #expect(answer["records"] == .integer(Int64(try #require(written.last).records.count)))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        // The copy is the state of then: what comes later is not in it.
        try await written.store.commit([.put(.mode(ModeRecord(monitor: "later", screen: "s", until: 1)))])
        #expect(try await Content(of: SQLiteStore(path: path, options: StoreDirectory.options)) == written.last)
        await written.store.close()
    }

    @Test("commits while it copies, and the copy has what was committed meanwhile")
    func meanwhile() async throws {
        let (gate, store) = try await copiedSlowly()
        let order = Mutex<[String]>([])
        async let copied = store.perform(.backup(name: "copy"))
        await gate.reach()
        let late = StoreRecord.mode(ModeRecord(monitor: "late", screen: "s", until: 1))
        store.commit([.put(late)]) { _ in order.withLock { $0.append("committed") } }
        // Asked for before the second step: that is asked for when the first is through.
        gate.open()
        _ = try await copied
        order.withLock { $0.append("copied") }
        #expect(order.withLock { $0 } == ["committed", "copied"])
        let copy = SQLiteStore(path: directory.path + "/copy", options: StoreDirectory.options)
        #expect(try await copy.load().contains(late))
        await copy.close()
        await store.close()
    }

    @Test("leaves nothing of a copy when the store is closed meanwhile, and makes one of a name at a time")
    func closed() async throws {
        let (gate, store) = try await copiedSlowly()
        let copying = Task { try await store.perform(.backup(name: "copy")) }
        await gate.reach()
        let again = await #expect(throws: StoreError.self) { try await store.perform(.backup(name: "Copy")) }
        #expect(again?.code == .usage)
        async let closed: Void = store.close()
        let isClosing = Mutex(false)
        while !isClosing.withLock({ $0 }) {
            store.commit([]) { error in if error?.code == .usage { isClosing.withLock { $0 = true } } }
            await Task.yield()
        }
        gate.open()
        await closed
        let error = await #expect(throws: StoreError.self) { try await copying.value }
        #expect(error?.code == .usage)
        let files = try directory.contents().keys.sorted()
        #expect(files == ["store.db", "store.db.reserve"], "and the lock")
        #expect(try await store.load().count == Self.recordCount)
        _ = try await store.perform(.backup(name: "copy"))
        await store.close()
    }

    @Test("gives a copy up that leaves commits no room, and goes on")
    func room() async throws {
        var options = StoreDirectory.options
        options.floorInBytes = .max
        options.reserveSizeInBytes = 0
        let store = directory.store(options)
        _ = try await store.load()
        let error = await #expect(throws: StoreError.self) { try await store.perform(.backup(name: "copy")) }
        #expect(error?.code == .inputOutput)
        try await store.commit([.put(.mode(ModeRecord(monitor: "m", screen: "s", until: 1)))])
        await store.close()
        #expect(try directory.contents().keys.allSatisfy { !$0.contains("copy") })
    }

    @Test("makes no copy of what is not sound")
    func unsoundCopy() async throws {
        _ = try await Written.closed(in: directory)
        try directory.execute("UPDATE journal SET at = at - 1 WHERE number = 7")
        let store = directory.store()
        _ = try await store.load()
        let error = await #expect(throws: StoreError.self) { try await store.perform(.backup(name: "copy")) }
        #expect(error?.code == .unsound)
        await store.close()
        #expect(try directory.contents().keys.allSatisfy { !$0.contains("copy") })
    }

    /// How many records a store that is copied slowly has, each of which fills a page and more.
    private static let recordCount = 100

    /// A loaded store that copies a page at a time, and stands behind the first until the gate is opened.
    private func copiedSlowly() async throws -> (Gate, SQLiteStore) {
        let gate = Gate()
        let store = directory.store(gate.copyOptions)
        _ = try await store.load()
        let screen = String(repeating: "x", count: 5000)
        let changes = try (0..<Self.recordCount).map { number in
            StoreChange.put(.mode(ModeRecord(monitor: try Name("m\(number)"), screen: screen, until: 1)))
        }
        try await store.commit(changes)
        return (gate, store)
    }

    @Test("puts a copy in place of a lost store, and it is taken")
    func restored() async throws {
        let written = try await Written.open(in: directory)
        _ = try await written.store.perform(.backup(name: "monday.db"))
        try await written.store.commit([.put(.mode(ModeRecord(monitor: "later", screen: "s", until: 1)))])
        let (_, _, lock) = try directory.live()
        await written.store.close()
        // As after a crash: somebody still remembers the commits of the store that is gone.
        try directory.write(lock, to: "store.db.lock")
        try FileManager.default.removeItem(atPath: directory.file)
        try FileManager.default.moveItem(atPath: directory.path + "/monday.db", toPath: directory.file)
        #expect(try await Content(of: directory.store()) == written.last)
    }

    @Test("makes no copy over a file that is there, or that the store needs")
    func taken() async throws {
        let written = try await Written.open(in: directory)
        try directory.write(Array("mine".utf8), to: "notes")
        let taken: [Name] = [
            "notes", "store.db", "store.db-wal", "store.db.lock", "store.db.before-v7",
        ]
        for name in taken {
            let error = await #expect(throws: StoreError.self) { try await written.store.perform(.backup(name: name)) }
            #expect(error?.code == .usage, "\(name)")
        }
        #expect(try directory.contents()["notes"] == Data("mine".utf8))
        for name: Name in ["copy.new", "copy", "copy.new-wal"] {
            _ = try await written.store.perform(.backup(name: name))
        }
        #expect(
            Set(try directory.contents().keys).isSuperset(of: ["copy.new", "copy", "copy.new-wal"]),
            "none in place of another"
        )
        await written.store.close()
        #expect(try await Content(of: directory.store()) == written.last)
    }

    @Test("counts what there is, and what it cost")
    func stats() async throws {
        let written = try await Written.open(in: directory)
        let stats = try await written.store.perform(.stats)
        let signals = try #require(written.last).records.keys.count { $0.kind == .signal }
        #expect(stats["records"]?.object?["signal"] == .integer(Int64(signals)))
        #expect(stats["journal"] == 60)
        #expect(stats["commits"] == 60 && stats["groups"] == 60 && stats["fsyncs"] == 60)
        #expect((stats["free"]?.integer ?? 0) > 0 && (stats["log_size"]?.integer ?? 0) > 0)
        await written.store.close()
    }

    @Test("says that what was changed behind its back is not sound")
    func unsound() async throws {
        let written = try await Written.closed(in: directory)
        try directory.execute("UPDATE journal SET at = at - 1 WHERE number = 7")
        let store = directory.store()
        #expect(try await store.load().count == written.last?.records.count)
        let answer = try await store.perform(.verify)
        #expect(answer["sound"] == false)
        let error = await #expect(throws: StoreError.self) {
            try await store.history(of: Written.journaled, limit: 100)
        }
        #expect(error?.code == .unsound)
        await store.close()
    }
}

import ForgeBusProtocol
import ForgeBusSQLite
import ForgeBusStore
import Foundation
import StoreBehaviour
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

import ForgeBusSQLite
import ForgeBusStore
import Foundation
import GRDB
import StoreBehaviour
import Testing

@Suite("Opening a store on disk")
struct OpeningTests {
    private let directory: StoreDirectory

    init() throws { directory = try StoreDirectory() }

    @Test("has SQLite write ahead, wait for the disk and keep everybody else away")
    func settings() async throws {
        let store = directory.store()
        _ = try await store.load()
        let found = try await store.settings(["journal_mode", "synchronous", "locking_mode", "wal_autocheckpoint"])
        #expect(found == ["wal", "2", "exclusive", "0"])
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        await store.close()
        #expect(Set(try directory.contents().keys) == ["store.db", "store.db.reserve"])
    }

    @Test("needs a directory that is there")
    func noDirectory() async {
        let store = SQLiteStore(path: directory.path + "/none/store.db")
        let error = await #expect(throws: StoreError.self) { try await store.load() }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("/none") == true)
    }

    @Test(
        "refuses what is no store, and leaves it as it was",
        arguments: [[], Array("not a database".utf8), [UInt8](repeating: 7, count: 8192)]
    )
    func foreign(_ bytes: [UInt8]) async throws {
        try directory.write(bytes, to: "store.db")
        try await expectUnsoundAndUntouched(.foreign)
    }

    @Test("refuses a directory and a pipe, and does not wait for either")
    func special() async throws {
        #expect(mkfifo(directory.file, 0o600) == 0)
        for _ in 0..<2 {
            let error = await #expect(throws: StoreError.self) { try await directory.store().load() }
            #expect(error?.code == .unsound, "\(error?.message ?? "")")
            try FileManager.default.removeItem(atPath: directory.file)
            try FileManager.default.createDirectory(atPath: directory.file, withIntermediateDirectories: true)
        }
    }

    @Test("refuses a backup that was put beside the log of the store, and goes on from it without that log")
    func mixed() async throws {
        let store = directory.store()
        _ = try await store.load()
        try await store.commit([.put(.mode(ModeRecord(monitor: "early", screen: "s", until: 1)))])
        _ = try await store.perform(.backup(name: "copy.db"))
        try await store.commit([.put(.mode(ModeRecord(monitor: "late", screen: "s", until: 1)))])
        // As the files are after a crash.
        let other = try StoreDirectory()
        try FileManager.default.copyItem(atPath: directory.path + "/copy.db", toPath: other.file)
        try FileManager.default.copyItem(atPath: directory.file + "-wal", toPath: other.file + "-wal")
        await store.close()
        let before = try other.contents()
        let error = await #expect(throws: StoreError.self) { try await other.store().load() }
        #expect(error?.code == .unsound && error?.kind == .replaced)
        #expect(try other.contents() == before)
        try FileManager.default.removeItem(atPath: other.file + "-wal")
        let restored = other.store()
        #expect(try await restored.load().map(\.key) == [.mode("early")])
        await restored.close()
    }

    @Test("refuses another program's SQLite file, and leaves it as it was")
    func otherProgram() async throws {
        let queue = try DatabaseQueue(path: directory.file)
        try await queue.write { try $0.execute(sql: "CREATE TABLE notes (text TEXT)") }
        try queue.close()
        try await expectUnsoundAndUntouched(.foreign)
    }

    @Test("refuses a store of a newer version, and leaves it as it was")
    func newer() async throws {
        let store = directory.store()
        _ = try await store.load()
        await store.close()
        let queue = try DatabaseQueue(path: directory.file)
        try await queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 99") }
        try queue.close()
        try await expectUnsoundAndUntouched(.newer)
    }

    @Test("refuses a log whose file is gone")
    func logAlone() async throws {
        try directory.write([1, 2, 3], to: "store.db-wal")
        try await expectUnsoundAndUntouched(.missing)
    }

    @Test("makes a store anew that was cut short while it was made")
    func cutShort() async throws {
        try directory.write(Array("half of a".utf8), to: ".store.db~")
        let store = directory.store()
        #expect(try await store.load().isEmpty)
        await store.close()
        #expect(Set(try directory.contents().keys) == ["store.db", "store.db.reserve"])
    }

    @Test("says before it is loaded that it is not")
    func notLoaded() async throws {
        let store = directory.store()
        await #expect(throws: StoreError.self) { try await store.commit([.remove(.run("a"))]) }
        await #expect(throws: StoreError.self) { try await store.history(of: "a", limit: 1) }
        #expect(try directory.contents().isEmpty)
    }

    @Test("a second time is possible after it was closed, and not before")
    func twice() async throws {
        let store = directory.store()
        _ = try await store.load()
        let error = await #expect(throws: StoreError.self) { try await store.load() }
        #expect(error?.code == .usage)
        await store.close()
        _ = try await store.load()
        await store.close()
    }

    private func expectUnsoundAndUntouched(_ kind: StoreError.Kind) async throws {
        let before = try directory.contents()
        let error = await #expect(throws: StoreError.self) { try await directory.store().load() }
        #expect(error?.code == .unsound && error?.kind == kind, "\(error?.message ?? "")")
        #expect(error?.message.contains(directory.file) == true)
        #expect(try directory.contents() == before)
    }
}

import ForgeBusProtocol
import ForgeBusSQLite
import ForgeBusStore
import Foundation
import Testing

@Suite("A store that is read without being opened")
struct StoppedStoreTests {
    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures")
    private let directory: StoreDirectory
    private let record = StoreRecord.mode(ModeRecord(monitor: "stock", screen: "s", until: 1))

    init() throws { directory = try StoreDirectory() }

    @Test("has the records of a past program, and stays as it was, log and lock too", arguments: PastStoreTests.stores)
    func past(_ path: String) async throws {
        for end in ["", "-wal", ".lock"] {
            let file = Self.fixtures.appending(path: "\(path).sqlite\(end)")
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            try directory.write(Data(contentsOf: file), to: "store.db" + end)
        }
        let before = try directory.contents()
        let records = try #require(try await StoppedStore.records(at: directory.file))
        #expect(try directory.contents() == before)
        #expect(!FileManager.default.fileExists(atPath: directory.file + ".before-v2"))
        let store = directory.store()
        #expect(try await Set(store.load()) == Set(records), "a worker still finds everything")
        await store.close()
    }

    @Test("has what is only in its log, because its process was killed")
    func log() async throws {
        let store = directory.store()
        _ = try await store.load()
        try await store.commit([.put(record)])
        let other = try StoreDirectory()
        let (main, log, _) = try directory.live()
        try other.write(main, to: "store.db")
        try other.write(log, to: "store.db-wal")
        #expect(try await StoppedStore.records(at: other.file) == [record])
        await store.close()
    }

    @Test("is refused while a process uses it; where there is none, nothing is made")
    func used() async throws {
        #expect(try await StoppedStore.records(at: directory.file) == nil)
        #expect(try await StoppedStore.records(at: directory.path + "/none/store.db") == nil)
        #expect(try directory.contents().isEmpty)
        let store = directory.store()
        _ = try await store.load()
        let error = await #expect(throws: StoreError.self) { try await StoppedStore.records(at: directory.file) }
        #expect(error?.code == .unavailable)
        await store.close()
        #expect(try await StoppedStore.records(at: directory.file)?.isEmpty == true)
    }

    @Test("is refused by its own name when it is damaged")
    func damaged() async throws {
        try directory.write(
            Array("no store at all, but long enough for a header of a file of SQLite, and more".utf8),
            to: "store.db"
        )
        let error = await #expect(throws: StoreError.self) { try await StoppedStore.records(at: directory.file) }
        #expect(error?.code == .unsound)
        #expect(error?.message.contains(directory.file) == true)
    }
}

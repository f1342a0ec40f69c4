import ForgeBusProtocol
import ForgeBusSQLite
import ForgeBusStore
import Foundation
import Testing

@Suite("A store that is read without being opened")
struct StoppedStoreTests {
    private let directory: StoreDirectory
    private let record = StoreRecord.mode(ModeRecord(monitor: "stock", screen: "s", until: 1))

    init() throws { directory = try StoreDirectory() }

    @Test("gives its records and stays as it was, log and lock too")
    func unchanged() async throws {
        let written = try await Written.closed(in: directory)
        let before = try directory.contents()
        #expect(
            try await StoppedStore.records(at: directory.file).map(Set.init)
                == written.last.map { Set($0.records.values) }
        )
        #expect(try directory.contents() == before)
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

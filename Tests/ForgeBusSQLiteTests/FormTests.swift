import ForgeBusStore
import Foundation
import GRDB
import StoreBehaviour
import Testing

@testable import ForgeBusSQLite

@Suite("A store with a record in a newer form")
struct FormTests {
    private let directory: StoreDirectory

    init() throws { directory = try StoreDirectory() }

    @Test("is refused by name, and left as it was")
    func refused() async throws {
        let store = directory.store()
        _ = try await store.load()
        try await store.commit([.put(.mode(ModeRecord(monitor: "stock", screen: "s", until: 1)))])
        await store.close()
        try putForm(2)
        let before = try directory.contents()
        let error = await #expect(throws: StoreError.self) { try await directory.store().load() }
        #expect(error?.code == .unsound)
        #expect(error?.message.contains(directory.file) == true)
        #expect(try directory.contents() == before)
        // The program that wrote it opens it as before.
        try putForm(1)
        #expect(try await store.load().count == 1)
        await store.close()
    }

    /// Writes the form of the only record, as a program would that knows it.
    private func putForm(_ form: UInt8) throws {
        let queue = try DatabaseQueue(path: directory.file)
        try queue.write { database in
            let kind = Int64(StoreKey.Kind.mode.rawValue)
            let key = Array("stock".utf8)
            var value = Array(try #require(try Data.fetchOne(database, sql: "SELECT value FROM records")))
            value[0] = form
            var totals = try #require(try Totals(in: database))
            totals.recordsSum = key.withUnsafeBytes { RecordTable.checksum(kind, $0, value) }
            try database.execute(
                sql: "UPDATE records SET value = ?, checksum = ?",
                arguments: [Data(value), totals.recordsSum]
            )
            try totals.write(with: FastStatement(database, Totals.writing))
        }
        try queue.close()
    }
}

import ForgeBusStore
import Foundation
import StoreBehaviour
import Testing

@testable import ForgeBusSQLite

@Suite("A store of an older version")
struct MigrationTests {
    private let directory: StoreDirectory

    /// It was interrupted.
    private struct Interrupted: Error {}

    init() throws { directory = try StoreDirectory() }

    private static func options(_ more: [Migration]) -> SQLiteStoreOptions {
        var options = StoreDirectory.options
        options.migrations += more
        return options
    }

    private static let second = Migration(to: 2) { database in
        try database.execute(sql: "CREATE TABLE hints (name BLOB PRIMARY KEY)")
        try database.execute(sql: "ALTER TABLE journal ADD COLUMN trace BLOB")
    }

    @Test("is brought to the present one with everything that is in it, after a copy was made")
    func migrated() async throws {
        let written = try await Written.closed(in: directory)
        let store = directory.store(Self.options([Self.second]))
        #expect(Set(try await store.load()) == Set(try #require(written.last).records.values))
        #expect(try await store.settings(["user_version"]) == ["2"])
        await store.close()
        let copy = directory.file + ".before-v2"
        #expect(try await Content(of: SQLiteStore(path: copy, options: StoreDirectory.options)) == written.last)
        // Once is enough.
        let again = directory.store(Self.options([Self.second]))
        #expect(try await again.load().count == written.last?.records.count)
        await again.close()
    }

    @Test("goes through every version between")
    func twoSteps() async throws {
        let written = try await Written.closed(in: directory)
        let third = Migration(to: 3) { try $0.execute(sql: "CREATE TABLE more (name BLOB); DROP TABLE hints") }
        let store = directory.store(Self.options([Self.second, third]))
        #expect(try await store.load().count == written.last?.records.count)
        #expect(try await store.settings(["user_version"]) == ["3"])
        await store.close()
    }

    @Test("is still of that version when its migration was interrupted, and migrates the next time")
    func interrupted() async throws {
        let written = try await Written.closed(in: directory)
        let half = Migration(to: 2) { database in
            try database.execute(sql: "CREATE TABLE hints (name BLOB PRIMARY KEY)")
            throw Interrupted()
        }
        await #expect(throws: StoreError.self) { try await directory.store(Self.options([half])).load() }
        #expect(try await Content(of: directory.store()) == written.last)
        let store = directory.store(Self.options([Self.second]))
        #expect(try await store.load().count == written.last?.records.count)
        await store.close()
        // From now on it is too new for a program without that step.
        let error = await #expect(throws: StoreError.self) { try await directory.store().load() }
        #expect(error?.code == .unsound)
    }

    @Test("is not migrated by a step that loses a record")
    func loses() async throws {
        let written = try await Written.closed(in: directory)
        let careless = Migration(to: 2) { database in
            try database.execute(sql: "DELETE FROM records WHERE key = (SELECT key FROM records LIMIT 1)")
        }
        let error = await #expect(throws: StoreError.self) {
            try await directory.store(Self.options([careless])).load()
        }
        #expect(error?.code == .unsound)
        #expect(try await Content(of: directory.store()) == written.last)
    }
}

import ForgeBusProtocol
import ForgeBusSQLite
import ForgeBusStore
import Foundation
import GRDB
import Testing

/// `Tests/Python/test_past_stores.py` has a worker go on with the same stores.
@Suite("A store that a past program left")
struct PastStoreTests {
    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures")

    /// Where each is, without what its files end in.
    static var stores: [String] {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: fixtures.path)) ?? []
        return paths.filter { $0.hasSuffix(".sqlite") }.map { String($0.dropLast(".sqlite".count)) }.sorted()
    }

    /// What SQLite alone counted in it when it was made.
    private struct Facts: Decodable {
        var records: [String: Int]
        var journal: Int
    }

    private let directory: StoreDirectory

    init() throws { directory = try StoreDirectory() }

    @Test("there is at least one with keys and one without")
    func found() {
        #expect(Set(Self.stores.compactMap { $0.split(separator: "/").last }) == ["keyed", "local"])
    }

    @Test("opens, is sound, and every record of it is read", arguments: stores)
    func opened(_ path: String) async throws {
        let facts = try Self.facts(path)
        let store = try copy(path)
        let records = try await store.load()
        let counts = Dictionary(grouping: records) { String($0.key.kind.rawValue) }.mapValues(\.count)
        #expect(counts == facts.records)
        let verified = try await store.perform(.verify)
        #expect(verified["sound"] == true, "\(verified)")
        #expect(verified["journal"] == .integer(Int64(facts.journal)))
        await store.close()
    }

    @Test("is read again as it was, when it was closed by this program", arguments: stores)
    func again(_ path: String) async throws {
        let store = try copy(path)
        let records = try await store.load()
        try await store.commit(records.map { .put($0) })
        await store.close()
        #expect(try await Set(store.load()) == Set(records))
        await store.close()
    }

    @Test(
        "is backed up before it is migrated, and the backup opens too",
        arguments: stores.filter { !$0.hasPrefix("8f65424") }
    )
    func backup(_ path: String) async throws {
        let store = try copy(path)
        let records = try await store.load()
        let identity = try #require(store.identity)
        await store.close()
        let backup = SQLiteStore(path: directory.file + ".before-v4", options: StoreDirectory.options)
        #expect(try await Set(backup.load()) == Set(records))
        #expect(try #require(backup.identity) != identity)
        await backup.close()
    }

    /// Form 2 says more of runs, signals and verdicts, form 3 of signals, and form 4 of runs, signals and debts.
    ///
    /// Only the first program wrote another form 1: its progress has no counts of attempts.
    @Test("has records that are read with and without the number of form 1", arguments: stores)
    func bytes(_ path: String) throws {
        let form = Self.forms.first { path.hasPrefix($0.key) }?.value
        _ = try copy(path)
        let queue = try DatabaseQueue(path: directory.file)
        let rows = try queue.read { try Row.fetchAll($0, sql: "SELECT kind, key, value FROM records") }
        try queue.close()
        for row in rows {
            let (number, name, value): (Int, Data, Data) = (row["kind"], row["key"], row["value"])
            let kind = try #require(StoreKey.Kind(rawValue: number))
            let key = try #require(StoreKey(kind, text: String(decoding: name, as: UTF8.self)))
            // The first two programs wrote form 1 without its number.
            let bytes = path.hasPrefix("c89e18d") || form != nil ? value.dropFirst() : value
            if let form {
                let record = try StoreRecord(encoded: Array(value), under: key)
                #expect(value.first == form)
                #expect(try StoreRecord(encoded: record.encoded, under: key) == record)
                // A conflict of form 4 ends with the sender of the standing decision, which the older forms do not have.
                let others = kind == .request ? [[4] + bytes, [4] + bytes + [0]] : [[4] + bytes]
                if ![.signal, .run, .debt].contains(kind) { #expect(others.contains { record.encoded == $0 }) }
                continue
            }
            let record = try StoreRecord(unnumbered: Array(bytes), under: key)
            #expect(try StoreRecord(encoded: [1] + bytes, under: key) == record)
            #expect(try StoreRecord(encoded: record.encoded, under: key) == record)
            if [.signal, .request, .run, .debt].contains(kind) { continue }
            if path.hasPrefix("832dd1c"), kind == .progress { continue }
            #expect(record.encoded == [4] + bytes)
        }
    }

    /// The forms after form 1, by the program that wrote them.
    private static let forms: [String: UInt8] = ["879f84f": 2, "de4d3fb": 3, "8f65424": 3]

    private static func facts(_ path: String) throws -> Facts {
        try JSONDecoder().decode(Facts.self, from: Data(contentsOf: fixtures.appending(path: path + ".json")))
    }

    /// A copy of the store, with the log and the lock that were left beside it.
    private func copy(_ path: String) throws -> SQLiteStore {
        for end in ["", "-wal", ".lock"] {
            let file = Self.fixtures.appending(path: "\(path).sqlite\(end)")
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            try directory.write(Data(contentsOf: file), to: "store.db" + end)
        }
        return directory.store()
    }
}

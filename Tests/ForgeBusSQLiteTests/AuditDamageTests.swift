import ForgeBusProtocol
import ForgeBusStore
import Foundation
import GRDB
import Scorecard
import StoreBehaviour
import Testing

@testable import ForgeBusSQLite

@Suite("The audit of a store on disk")
struct AuditDamageTests {
    private let directory: StoreDirectory
    private static let count: Int64 = 40

    init() throws { directory = try StoreDirectory() }

    /// A closed store with some entries.
    private func written() async throws -> AuditHead {
        var generator = RecordGenerator(seed: 60)
        let store = directory.store()
        _ = try await store.load()
        for number in 1...Self.count {
            try await store.commit([.audit(generator.auditEntry(at: number), horizon: .min)])
        }
        let report = try await store.perform(.auditCheck(head: nil))
        await store.close()
        return try #require(report["head"]?.string.flatMap { AuditHead($0) })
    }

    /// What is found in a store: the first bad entry, or nil; and what the store said.
    private func found(in store: SQLiteStore, head: AuditHead? = nil) async throws -> (entry: Int64?, text: String) {
        do throws(StoreError) { _ = try await store.load() } catch {
            let entry = error.message.firstMatch(of: /entry (\d+) of the audit/).flatMap { Int64($0.1) }
            return (entry ?? -1, error.message)
        }
        let report = try await store.perform(.auditCheck(head: head))
        let verified = try await store.perform(.verify)
        await store.close()
        if head == nil { #expect(verified["sound"] == report["sound"], "\(verified)") }
        return (report["sound"] == true ? nil : report["entry"]?.integer ?? -1, "\(report)")
    }

    @Test("names the first bad entry, however its rows were altered", .scorecard(24))
    func altered() async throws {
        _ = try await written()
        let original = try Data(contentsOf: URL(fileURLWithPath: directory.file))
        var numbers = SeededNumbers(seed: 61)
        for trial in 0..<120 {
            for file in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
                try FileManager.default.removeItem(atPath: directory.path + "/" + file)
            }
            try directory.write(original, to: "store.db")
            let place = 1 + Int64(numbers.below(Int(Self.count)))
            let other = 1 + Int64(numbers.below(Int(Self.count)))
            try alter(trial % 5, place, other, &numbers)
            if trial % 5 == 4, place == other { continue }
            let (entry, text) = try await found(in: directory.store())
            #expect(entry == (trial % 5 == 4 ? min(place, other) : place), "\(trial): \(text)")
        }
    }

    /// Alters a row, as somebody might who can write to the file.
    private func alter(_ way: Int, _ place: Int64, _ other: Int64, _ numbers: inout SeededNumbers) throws {
        let queue = try DatabaseQueue(path: directory.file)
        let random = numbers.next()
        try queue.write { database in
            switch way {
            case 0, 1:
                let column = way == 0 ? "entry" : "hash"
                let sql = "SELECT \(column) FROM audit WHERE number = ?"
                var bytes = try #require(try Data.fetchOne(database, sql: sql, arguments: [place]))
                bytes[Int(random % UInt64(bytes.count))] ^= 1 << UInt8(random >> 61)
                try database.execute(
                    sql: "UPDATE audit SET \(column) = ? WHERE number = ?",
                    arguments: [bytes, place]
                )
            case 2: try database.execute(sql: "UPDATE audit SET at = at + 1 WHERE number = ?", arguments: [place])
            case 3: try database.execute(sql: "DELETE FROM audit WHERE number = ?", arguments: [place])
            default: try swap(place, other, database)
            }
        }
        try queue.close()
    }

    private func swap(_ place: Int64, _ other: Int64, _ database: Database) throws {
        for (from, to) in [(place, -1), (other, place), (-1, other)] {
            try database.execute(sql: "UPDATE audit SET number = ? WHERE number = ?", arguments: [to, from])
        }
    }

    @Test("that somebody cut and continued, with all hashes computed anew, is found only with a head kept elsewhere")
    func forged() async throws {
        let head = try await written()
        let queue = try DatabaseQueue(path: directory.file)
        try await queue.write { database in
            var generator = RecordGenerator(seed: 62)
            let kept = Self.count - 3
            let hash = try #require(
                try Data.fetchOne(database, sql: "SELECT hash FROM audit WHERE number = ?", arguments: [kept])
            )
            var chain = AuditChain(head: AuditHead(kept, try #require(Fingerprint(bytes: Array(hash)))))
            try database.execute(sql: "DELETE FROM audit WHERE number > ?", arguments: [kept])
            var table = try AuditTable(database, chain)
            let entries = (0..<5).map { generator.auditEntry(at: $0) }
            try table.append(entries, horizon: .min, atMost: 1_000, to: &chain)
        }
        try queue.close()
        #expect(try await found(in: directory.store()).entry == nil)
        #expect(try await found(in: directory.store(), head: head).entry == head.number)
    }

    @Test("is refused when the row with its ends is another or is gone")
    func ends() async throws {
        _ = try await written()
        let original = try Data(contentsOf: URL(fileURLWithPath: directory.file))
        for sql in [
            "UPDATE audit_chain SET number = number - 1", "UPDATE audit_chain SET dropped = dropped + 1",
            "UPDATE audit_chain SET anchor = hash", "DELETE FROM audit_chain", "DELETE FROM audit",
        ] {
            try directory.write(original, to: "store.db")
            try directory.execute(sql)
            let error = await #expect(throws: StoreError.self) { try await directory.store().load() }
            #expect(error?.code == .unsound, "\(sql)")
        }
    }

    @Test("has at most as many entries as the options say, and the oldest are dropped")
    func bounded() async throws {
        var options = StoreDirectory.options
        options.auditEntries = 10
        var generator = RecordGenerator(seed: 63)
        let store = directory.store(options)
        _ = try await store.load()
        for number in 1...Self.count {
            try await store.commit([.audit(generator.auditEntry(at: number), horizon: .min)])
        }
        let report = try await store.perform(.auditCheck(head: nil))
        #expect(report["entries"] == 10 && report["sound"] == true, "\(report)")
        #expect(report["anchor"]?.string?.hasPrefix("30:") == true)
        await store.close()
        #expect(try await found(in: directory.store(options)).entry == nil)
    }
}

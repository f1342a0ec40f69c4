import ForgeBusProtocol
import ForgeBusSQLite
import ForgeBusStore
import Foundation
import Scorecard
import StoreBehaviour
import Testing

/// Bits are turned and ends cut off at places that a seed decides: what was written is found, or the store is refused.
@Suite("A damaged store on disk", .scorecard(6))
struct DamageTests {
    private let original: StoreDirectory
    private static let count = Scorecard.trials(60, full: 400)

    init() throws { original = try StoreDirectory() }

    @Test("is refused, or gives exactly what was written, whatever bit of its file is another")
    func flippedBits() async throws {
        let written = try await Written.closed(in: original)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: original.file))
        var numbers = SeededNumbers(seed: 31)
        var refused = 0
        for _ in 0..<Self.count {
            let place = numbers.below(bytes.count)
            let bit = numbers.below(8)
            var damaged = bytes
            damaged[place] ^= 1 << UInt8(bit)
            let found = try await found(main: damaged)
            if found == nil { refused += 1 }
            #expect(found == nil || found == written.last, "bit \(bit) of byte \(place)")
        }
        // Most of a file is rows.
        #expect(refused > Self.count / 2)
    }

    @Test("is refused wherever a bit of its header is another, or gives exactly what was written")
    func flippedHeader() async throws {
        let written = try await Written.closed(in: original)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: original.file))
        for place in 0..<108 {
            var damaged = bytes
            damaged[place] ^= 1 << UInt8(place % 8)
            let found = try await found(main: damaged)
            #expect(found == nil || found == written.last, "byte \(place)")
        }
    }

    @Test("is refused wherever its file ends too early, unless what is missing held nothing")
    func truncated() async throws {
        let written = try await Written.closed(in: original)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: original.file))
        var numbers = SeededNumbers(seed: 32)
        let ends = (0..<40).map { _ in numbers.below(bytes.count) } + [0, 1, 100, 4096, bytes.count - 1]
        for end in ends {
            let found = try await found(main: bytes.prefix(end))
            // The end of the last page may be free.
            let isWhole = end >= bytes.count - 4096 && found == written.last
            #expect(found == nil || isWhole, "\(end) of \(bytes.count) bytes")
        }
    }

    @Test("is refused when a row is gone that was sound, or one is back that was removed")
    func otherRows() async throws {
        let written = try await Written.closed(in: original)
        for sql in [
            "DELETE FROM records WHERE key = (SELECT key FROM records LIMIT 1)",
            "UPDATE totals SET commits = commits + 1",
            "DELETE FROM journal WHERE number = 3",
        ] {
            let copy = try StoreDirectory()
            try Data(contentsOf: URL(fileURLWithPath: original.file)).write(to: URL(fileURLWithPath: copy.file))
            try copy.execute(sql)
            await #expect(throws: StoreError.self, "\(sql)") { try await Content(of: copy.store()) }
        }
        #expect(try await found(main: Data(contentsOf: URL(fileURLWithPath: original.file))) == written.last)
    }

    @Test("is refused when commits in its log are damaged; only the very last may be missing")
    func flippedLog() async throws {
        let written = try await Written.open(in: original)
        let (main, log, _) = try original.live()
        await written.store.close()
        #expect(try await found(main: main, log: log) == written.last)
        var numbers = SeededNumbers(seed: 33)
        var refused = 0
        for _ in 0..<Self.count {
            let place = numbers.below(log.count)
            let bit = numbers.below(8)
            var damaged = log
            damaged[place] ^= 1 << UInt8(bit)
            let found = try await found(main: main, log: damaged)
            if found == nil { refused += 1 }
            let isKnown = found.map { written.contents.suffix(2).contains($0) } ?? true
            #expect(isKnown, "bit \(bit) of byte \(place) of \(log.count)")
        }
        #expect(refused > Self.count * 3 / 4)
    }

    @Test("is refused when its log ends before what was acknowledged")
    func truncatedLog() async throws {
        let written = try await Written.open(in: original)
        let (main, log, lock) = try original.live()
        await written.store.close()
        var numbers = SeededNumbers(seed: 34)
        let ends = (0..<40).map { _ in numbers.below(log.count) } + [0, 31, 32, 56, log.count - 1]
        for end in ends {
            #expect(
                try await found(main: main, log: log.prefix(end), lock: lock) == nil,
                "\(end) of \(log.count) bytes"
            )
            // Nobody remembers: then it is what it was some commits ago, and never anything else.
            let found = try await found(main: main, log: log.prefix(end))
            let isKnown = found.map { written.contents.contains($0) } ?? true
            #expect(isKnown, "\(end) of \(log.count) bytes, nobody remembers")
        }
        #expect(try await found(main: main, log: log, lock: lock) == written.last)
    }

    @Test("is refused when its file is gone and it was not closed; without the lock that tells so, it is made anew")
    func gone() async throws {
        let written = try await Written.open(in: original)
        let lock = try original.live().lock
        await written.store.close()
        let copy = try StoreDirectory()
        try copy.write(lock, to: "store.db.lock")
        let error = await #expect(throws: StoreError.self) { try await copy.store().load() }
        #expect(error?.code == .unsound && error?.kind == .missing)
        try FileManager.default.removeItem(atPath: copy.file + ".lock")
        let store = copy.store()
        #expect(try await store.load().isEmpty)
        await store.close()
    }

    @Test("is refused when any bit of its log is another, as long as somebody remembers how far it came")
    func flippedLogRemembered() async throws {
        let written = try await Written.open(in: original)
        let (main, log, lock) = try original.live()
        await written.store.close()
        var numbers = SeededNumbers(seed: 35)
        for _ in 0..<100 {
            let place = numbers.below(log.count)
            var damaged = log
            damaged[place] ^= 1 << UInt8(numbers.below(8))
            let found = try await found(main: main, log: damaged, lock: lock)
            #expect(found == nil || found == written.last, "byte \(place) of \(log.count)")
        }
    }

    /// What a store gives that has these files; nil when it refuses them, and has changed nothing of them then.
    private func found(main: Data, log: Data? = nil, lock: Data? = nil) async throws -> Content? {
        let copy = try StoreDirectory()
        try copy.write(main, to: "store.db")
        if let log { try copy.write(log, to: "store.db-wal") }
        if let lock { try copy.write(lock, to: "store.db.lock") }
        let before = try copy.contents()
        Scorecard.count(1)
        do { return try await Content(of: copy.store()) } catch {
            #expect(error.code == .unsound, "\(error)")
            if !error.message.hasPrefix("journal:") { #expect(try copy.contents() == before, "\(error)") }
            return nil
        }
    }
}

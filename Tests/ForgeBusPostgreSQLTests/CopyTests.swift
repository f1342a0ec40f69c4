#if PostgreSQL
import ForgeBusPostgreSQL
import ForgeBusProtocol
import ForgeBusSQLite
import ForgeBusStore
import Foundation
import StoreBehaviour
import Testing

@Suite("A copy of a store", .timeLimit(.minutes(30)))
struct CopyTests {
    private let directory = FileManager.default.temporaryDirectory.path + "/forgebus-copies-" + UUID().uuidString

    init() throws { try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false) }

    private func file(_ name: String, isNew: Bool = false) -> SQLiteStore {
        var options = SQLiteStoreOptions()
        (options.reserveSizeInBytes, options.loadsUnfinishedCopies) = (0, isNew)
        return SQLiteStore(path: "\(directory)/\(name)", options: options)
    }

    /// Fills a new store with records of each kind, journal entries, outputs, and an audit whose oldest entries are dropped.
    private func fill(_ store: any BusStore) async throws {
        var generator = RecordGenerator(seed: 70)
        _ = try await store.load()
        for kind in StoreKey.Kind.allCases {
            try await store.commit(generator.records(600, of: kind).map { .put($0) })
        }
        for number in 1...1_300 {
            let time = 4_000_000_000_000 + Int64(number)
            try await store.commit([
                .append(generator.entry(at: time, among: ["a", "b", "c"])),
                .audit(generator.auditEntry(at: time), horizon: time - 700),
                .output(
                    ActionOutput(
                        of: "build",
                        in: Name(stringLiteral: "r-\(number % 7)"),
                        attempt: number,
                        at: time,
                        failure: number % 3 == 0 ? "exit 1\0" : nil,
                        output: PrintedText("line \(number)\n", omittedBytes: number),
                        errors: PrintedText("", omittedBytes: 0)
                    )
                ),
            ])
        }
        await store.close()
    }

    @Test("from a file to a database, and back to a file, has everything and the same identity")
    func everything() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let rivals = Rivals(server: try await PostgresServer.shared.value)
        let original = file("original")
        try await fill(original)
        let digest = try await StoreTransfer(from: original, to: rivals.store { $0.loadsUnfinishedCopies = true }).run()
        #expect(digest.records == 600 * StoreKey.Kind.allCases.count)
        #expect((digest.journal, digest.outputs) == (1_300, 1_300))
        #expect((701...1_299).contains(digest.audit))
        let back = try await StoreTransfer(from: rivals.store(), to: file("back", isNew: true)).run()
        #expect(back == digest)
        try await expectAlike([original, rivals.store(), file("back")])
    }

    /// What is asked of each store is answered alike, now and after another commit.
    private func expectAlike(_ stores: [any CopyableStore]) async throws {
        var answers: [Answers] = []
        for store in stores {
            var answer = Answers()
            answer.records = Set(try await store.load())
            answer.identity = store.identity
            try await store.commit([.append(JournalEntry(at: 5_000_000_000_000, "asked", run: "a"))])
            for name in ["a", "b", "c"] as [Name] { answer.entries += try await store.history(of: name, limit: 10_000) }
            for run in 0..<7 {
                let name = Name(stringLiteral: "r-\(run)")
                answer.outputs += try await store.outputs(of: name, action: nil, limit: 1 << 30)
            }
            answer.audit = try await store.perform(.auditCheck(head: nil))
            let page = try await store.perform(.auditPage(AuditQuery()))
            answer.page = page
            #expect(try await store.perform(.verify)["sound"] == true)
            answers.append(answer)
            await store.close()
        }
        #expect(answers.allSatisfy { $0 == answers[0] })
    }

    private struct Answers: Equatable {
        var records: Set<StoreRecord> = []
        var identity: String?
        var entries: [JournalEntry] = []
        var outputs: [ActionOutput] = []
        var audit = JSONObject()
        var page = JSONObject()
    }

    @Test("that is not complete can be used by no worker, and is begun again")
    func unfinished() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let rivals = Rivals(server: try await PostgresServer.shared.value)
        let original = file("original")
        try await fill(original)
        let header = StoreHeader(identity: "a1", audit: AuditChain())
        for target in [rivals.store { $0.loadsUnfinishedCopies = true }, file("new", isNew: true)]
            as [any CopyableStore]
        {
            _ = try await target.load()
            try await target.beginCopy(of: header)
            try await target.commit([.put(record(1)), .append(JournalEntry(at: 4_000_000_000_000, "e", run: "a"))])
            await target.close()
        }
        for worker in [rivals.store(), file("new")] as [any BusStore] {
            let error = await #expect(throws: StoreError.self) { try await worker.load() }
            #expect(error?.code == .unsound && error?.kind == .unfinishedCopy)
        }
        for (target, worker) in [
            (rivals.store { $0.loadsUnfinishedCopies = true }, rivals.store()), (file("new", isNew: true), file("new")),
        ] as [(any CopyableStore, any BusStore)] {
            let digest = try await StoreTransfer(from: original, to: target).run()
            #expect(try await worker.load().count == digest.records - 600)
            #expect(try await worker.perform(.verify)["sound"] == true)
            await worker.close()
        }
    }

    @Test("never gives the id of a copied run to another run: the epochs go on")
    func epochs() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let rivals = Rivals(server: try await PostgresServer.shared.value)
        let original = rivals.store()
        for _ in 1...5 {
            _ = try await original.load()
            try await original.commit([
                .append(JournalEntry(at: 4_000_000_000_000, "e", run: Name("\(rivals.name)-41-7")))
            ])
            await original.close()
        }
        let other = "\(server(of: rivals))-copy"
        try await rivals.server.sql("CREATE DATABASE \"\(other)\"")
        func store(isNew: Bool) -> PostgreSQLStore {
            var options = PostgreSQLStoreOptions()
            options.loadsUnfinishedCopies = isNew
            return PostgreSQLStore(rivals.server.target(other), name: rivals.name, options: options)
        }
        _ = try await StoreTransfer(from: original, to: store(isNew: true)).run()
        let worker = store(isNew: false)
        _ = try await worker.load()
        #expect(try #require(worker.lease?.epoch) > 41)
        await worker.close()
    }

    private func server(of rivals: Rivals) -> String { "c-\(rivals.name)" }

    @Test("that lost a row on its way is found to differ, and can be used by no worker")
    func lossy() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let original = file("original")
        try await fill(original)
        let error = await #expect(throws: StoreError.self) {
            try await StoreTransfer(from: original, to: Lossy(file("new", isNew: true))).run()
        }
        #expect(error?.code == .unsound && error?.kind == nil)
        let refusal = await #expect(throws: StoreError.self) { try await file("new").load() }
        #expect(refusal?.kind == .unfinishedCopy)
    }

    @Test("is not made onto a store that has contents, which stay")
    func occupied() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let rivals = Rivals(server: try await PostgresServer.shared.value)
        let original = file("original")
        try await fill(original)
        for target in [rivals.store { $0.loadsUnfinishedCopies = true }, file("other", isNew: true)]
            as [any CopyableStore]
        {
            _ = try await target.load()
            try await target.commit([.put(record(1))])
            await target.close()
            let error = await #expect(throws: StoreError.self) {
                try await StoreTransfer(from: original, to: target).run()
            }
            #expect(error?.code == .usage)
            #expect(try await target.load().numbers == [1])
            await target.close()
        }
    }
}

/// Loses one journal entry.
private final class Lossy: CopyableStore {
    private let store: SQLiteStore
    init(_ store: SQLiteStore) { self.store = store }

    var durability: Durability { store.durability }
    var identity: String? { store.identity }
    func load() async throws(StoreError) -> [StoreRecord] { try await store.load() }

    func commit(_ changes: [StoreChange], completion: @escaping @Sendable (StoreError?) -> Void) {
        var changes = changes
        if let index = changes.firstIndex(where: { if case .append = $0 { true } else { false } }), changes.count > 1 {
            changes.remove(at: index)
        }
        store.commit(changes, completion: completion)
    }

    func history(of name: Name, limit: Int) async throws(StoreError) -> [JournalEntry] {
        try await store.history(of: name, limit: limit)
    }

    func outputs(of run: Name, action: String?, limit: Int) async throws(StoreError) -> [ActionOutput] {
        try await store.outputs(of: run, action: action, limit: limit)
    }

    func texts(of run: Name) async throws(StoreError) -> RunTexts? { try await store.texts(of: run) }

    func observeRoom(_ observer: @escaping @Sendable (StoreRoom) -> Void) { store.observeRoom(observer) }
    func close() async { await store.close() }
    func perform(_ task: StoreTask) async throws(StoreError) -> JSONObject { try await store.perform(task) }
    func header() async throws(StoreError) -> StoreHeader { try await store.header() }

    func page(of part: StorePart, after place: Int64?) async throws(StoreError) -> StorePage {
        try await store.page(of: part, after: place)
    }

    func beginCopy(of header: StoreHeader) async throws(StoreError) { try await store.beginCopy(of: header) }
    func append(_ links: [AuditLink]) async throws(StoreError) { try await store.append(links) }
    func checkUnchanged() async throws(StoreError) { try await store.checkUnchanged() }
    func endCopy(of header: StoreHeader) async throws(StoreError) { try await store.endCopy(of: header) }
}
#endif

import ForgeBusStore
import Foundation
import GRDB
import StoreBehaviour
import Subprocess
import Synchronization
import Testing

@testable import ForgeBusSQLite

@Suite("A store that somebody has")
struct LockTests {
    private let directory: StoreDirectory

    init() throws { directory = try StoreDirectory() }

    @Test("is not given to another worker of the process, which is told who has it")
    func sameProcess() async throws {
        let store = directory.store()
        _ = try await store.load()
        let error = await #expect(throws: StoreError.self) { try await directory.store().load() }
        #expect(error?.code == .unavailable)
        #expect(error?.kind == .inUse(by: getpid()))
        // Whoever was refused has taken nothing from who has it.
        try await store.commit([.put(.mode(ModeRecord(monitor: "m", screen: "s", until: 1)))])
        await store.close()
        let next = directory.store()
        #expect(try await next.load().count == 1)
        await next.close()
    }

    @Test("answers whatever was asked meanwhile of whoever does not get it, with why")
    func askedMeanwhile() async throws {
        let store = directory.store()
        _ = try await store.load()
        // As a store has one while it is being loaded.
        let files = try StoreFiles(path: directory.file)
        let lane = StoreLane<StoreSession>(groupSize: 1) { StoreError($0, at: files.main) }
        let told = Mutex<[StoreError?]>([])
        for _ in 1...2 { #expect(lane.commit([]) { error in told.withLock { $0.append(error) } }) }
        let opened = await lane.open { _ in _ = try StoreOpening(files: files, options: SQLiteStoreOptions()).run() }
        #expect(throws: StoreError.self) { try opened.get() }
        #expect(told.withLock { $0.map(\.?.code) } == [.unavailable, .unavailable])
        #expect(!lane.commit([]) { _ in }, "something is taken that nobody will do")
        await lane.close()
        await store.close()
    }

    @Test("is free once it is let go, though a process that is being started has a copy of its lock for a moment")
    func copiedLock() throws {
        let lock = try LockFile(at: directory.file + ".lock", for: directory.file)
        let copy = dup(lock.descriptor)
        defer { close(copy) }
        #expect(throws: StoreError.self) { try LockFile(at: directory.file + ".lock", for: directory.file) }
        lock.release()
        try LockFile(at: directory.file + ".lock", for: directory.file).release()
    }

    @Test("is not given to a worker in another process")
    func otherProcess() async throws {
        let store = directory.store()
        _ = try await store.load()
        await store.close()
        let (file, directory) = (directory.file, directory)
        _ = try await run(
            .name("flock"),
            arguments: [file + ".lock", "sh", "-c", "echo held; exec cat"],
            input: .inputWriter,
            output: .sequence,
            error: .discarded
        ) { holder in
            var lines = holder.standardOutput.strings().makeAsyncIterator()
            #expect(try await lines.next()?.hasPrefix("held") == true)
            let error = await #expect(throws: StoreError.self) { try await directory.store().load() }
            #expect(error?.code == .unavailable)
            try await holder.standardInputWriter.finish()
        }
        let next = directory.store()
        _ = try await next.load()
        await next.close()
    }

    @Test("is not open to other programs, and one that another program has is not loaded")
    func otherProgram() async throws {
        let store = directory.store()
        _ = try await store.load()
        await store.close()
        let queue = try DatabaseQueue(path: directory.file)
        try await queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; UPDATE totals SET commits = commits")
        }
        let error = await #expect(throws: StoreError.self) { try await directory.store().load() }
        #expect(error?.code == .unavailable)
        try queue.close()
    }
}

extension Result {
    /// Why it came to nothing.
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

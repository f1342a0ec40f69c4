import ForgeBusStore
import Foundation
import GRDB

/// The thread that owns the store: only it opens, writes, reads and closes the file.
final class StoreLane: Sendable {
    private let mailbox: LaneMailbox
    private let files: StoreFiles
    private let options: SQLiteStoreOptions
    private let tellRoom: @Sendable (StoreRoom) -> Void
    private let ended = LaneEnd()

    init(_ files: StoreFiles, _ options: SQLiteStoreOptions, tellRoom: @escaping @Sendable (StoreRoom) -> Void) {
        self.files = files
        self.options = options
        self.tellRoom = tellRoom
        mailbox = LaneMailbox(groupSize: options.groupSize)
    }

    /// Commits the changes, then calls back.
    ///
    /// - Returns: Whether it was accepted; false after ``stop()``.
    func commit(_ changes: [StoreChange], _ completion: @escaping @Sendable (StoreError?) -> Void) -> Bool {
        mailbox.add(.commit(changes, completion))
    }

    /// Does something on the lane's thread, after earlier commits; it gets the error if the store is not open.
    ///
    /// - Returns: Whether it was accepted; false after ``stop()``.
    func submit(_ work: @escaping @Sendable (Result<StoreSession, StoreError>) -> Void) -> Bool {
        mailbox.add(.work(work))
    }

    /// Does something on the lane's thread, after earlier commits.
    ///
    /// - Returns: Its result; nil after ``stop()``.
    func perform<T: Sendable>(_ work: @escaping @Sendable (StoreSession) throws -> T) async -> Result<T, StoreError>? {
        await withCheckedContinuation { continuation in
            let path = files.main
            let isTaken = submit { session in
                let result = session.flatMap { session in
                    Result { try work(session) }.mapError { StoreError($0, at: path) }
                }
                continuation.resume(returning: result)
            }
            if !isTaken { continuation.resume(returning: nil) }
        }
    }

    /// Ends the thread, after all earlier jobs.
    func stop() { _ = mailbox.add(.stop) }

    /// Ends the thread, after all earlier jobs, and returns when the files are closed.
    func close() async {
        stop()
        await ended.value()
    }

    /// Opens the store on a thread of its own, which then serves it until ``stop()``.
    ///
    /// If that fails, all jobs added meanwhile fail with the same error.
    func open() async -> Result<[StoreRecord], StoreError> {
        await withCheckedContinuation { continuation in
            let thread = Thread { [self] in
                do {
                    let opened = try StoreOpening(files: files, options: options).run()
                    serve(opened) { continuation.resume(returning: $0) }
                    ended.tell()
                } catch {
                    let failure = fail(error)
                    ended.tell()
                    continuation.resume(returning: failure)
                }
            }
            thread.name = "forgebus-store"
            // JSON in records may be nested; each level is read in a stack frame of its own.
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    private func fail(_ error: any Error) -> Result<[StoreRecord], StoreError> {
        let error = StoreError(error, at: files.main)
        mailbox.fail(with: error)
        return .failure(error)
    }

    private func serve(_ opened: StoreOpening.Opened, _ loaded: (Result<[StoreRecord], StoreError>) -> Void) {
        var opened = opened
        let queue = opened.queue
        queue.inDatabase { database in
            do {
                let session = try StoreSession(database, opened, files, options)
                let records = opened.content.records
                opened.content.records = []
                loaded(.success(records))
                StoreTurns(session, mailbox, tellRoom).run()
                session.close()
            } catch {
                loaded(fail(error))
            }
        }
        try? queue.close()
        opened.lock.release()
    }
}

import ForgeBusStore
import Foundation
import GRDB

/// The thread that owns the store: only this thread opens, writes, reads and closes the file.
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

    /// Commits the changes on the lane's thread, then calls the completion there.
    ///
    /// If ``open()`` fails while the commit waits, the completion gets the error.
    ///
    /// - Returns: Whether the lane accepted the commit: false after ``stop()``, and after ``open()`` has failed. If the
    ///   result is false, the completion is not called.
    func commit(_ changes: [StoreChange], _ completion: @escaping @Sendable (StoreError?) -> Void) -> Bool {
        mailbox.add(.commit(changes, completion))
    }

    /// Calls `work` on the lane's thread, after earlier jobs.
    ///
    /// If ``open()`` fails while the job waits, `work` gets the error.
    ///
    /// - Returns: Whether the lane accepted the job: false after ``stop()``, and after ``open()`` has failed. If the
    ///   result is false, `work` is not called.
    func submit(_ work: @escaping @Sendable (Result<StoreSession, StoreError>) -> Void) -> Bool {
        mailbox.add(.work(work))
    }

    /// Calls `work` on the lane's thread, after earlier jobs.
    ///
    /// - Returns: The result of `work`, or the error of ``open()`` if it fails while the job waits. Nil if the lane did
    ///   not accept the job, because ``stop()`` was called or ``open()`` has failed before.
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

    /// Opens the store on a new thread, which then carries out the lane's jobs until ``stop()``.
    ///
    /// If the store cannot be opened, all jobs that were added meanwhile fail with the same error.
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
            // The stack is large, because records can contain nested JSON and each level needs stack frames of its own.
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

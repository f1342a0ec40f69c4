import ForgeLocks
import Foundation

/// The thread that owns a store: only this thread opens, writes, reads and closes the store.
///
/// Commits that are requested while the store is busy are written together.
package final class StoreLane<Session: LaneSession>: Sendable {
    private let mailbox: LaneMailbox
    private let convert: @Sendable (any Error) -> StoreError
    /// Set when the thread has closed the store.
    private let ended = OneShot<Void>()

    /// Creates a lane, whose thread ``open(_:)`` starts.
    ///
    /// - Parameters:
    ///   - groupSize: The number of changes at which a group is full.
    ///   - convert: Converts any error of the store into the error that callers get.
    package init(groupSize: Int, convert: @escaping @Sendable (any Error) -> StoreError) {
        self.convert = convert
        mailbox = LaneMailbox(groupSize: groupSize)
    }

    /// Commits the changes on the lane's thread, then calls the completion there.
    ///
    /// If ``open(_:)`` fails while the commit waits, the completion gets the error.
    ///
    /// - Returns: Whether the lane accepted the commit: false after ``stop()``, and after ``open(_:)`` has failed. If
    ///   the result is false, the completion is not called.
    package func commit(_ changes: [StoreChange], _ completion: @escaping @Sendable (StoreError?) -> Void) -> Bool {
        mailbox.add(.commit(changes, completion))
    }

    /// Calls `work` on the lane's thread, after earlier jobs.
    ///
    /// - Returns: The result of `work`, or the error of ``open(_:)`` if it fails while the job waits. Nil if the lane
    ///   did not accept the job, because ``stop()`` was called or ``open(_:)`` has failed before.
    package func perform<T: Sendable>(
        _ work: @escaping @Sendable (Session) throws -> T
    ) async -> Result<T, StoreError>? {
        await withCheckedContinuation { continuation in
            let isTaken = mailbox.add(
                .work { [convert] session in
                    let result = session.flatMap { session in
                        guard let session = session as? Session else {
                            fatalError("Internal error: a lane serves another kind of store.")
                        }
                        return Result { try work(session) }.mapError(convert)
                    }
                    continuation.resume(returning: result)
                }
            )
            if !isTaken { continuation.resume(returning: nil) }
        }
    }

    /// Ends the thread, after all earlier jobs.
    package func stop() { _ = mailbox.add(.stop) }

    /// Ends the thread, after all earlier jobs, and returns when the store is closed.
    package func close() async {
        stop()
        await ended.valueDespiteCancellation()
    }

    /// Opens the store on a new thread, which then carries out the lane's jobs until ``stop()``.
    ///
    /// If the store cannot be opened, all jobs that were added meanwhile fail with the same error.
    ///
    /// - Parameter open: Opens the store, passes its session and its records to `serve`, and closes what it opened
    ///   after `serve` has returned; it throws if it cannot open the store.
    /// - Returns: The records, or the error.
    package func open(
        _ open: @escaping @Sendable (_ serve: (Session, [StoreRecord]) -> Void) throws -> Void
    ) async -> Result<[StoreRecord], StoreError> {
        await withCheckedContinuation { continuation in
            let thread = Thread { [self] in
                var hasServed = false
                do {
                    try open { session, records in
                        hasServed = true
                        continuation.resume(returning: .success(records))
                        LaneTurns(session, mailbox).run()
                        session.close()
                    }
                    ended.set()
                } catch {
                    let error = convert(error)
                    mailbox.fail(with: error)
                    ended.set()
                    if !hasServed { continuation.resume(returning: .failure(error)) }
                }
            }
            thread.name = "forgebus-store"
            // The stack is large, because records can contain nested JSON and each level needs stack frames of its own.
            thread.stackSize = 8 << 20
            thread.start()
        }
    }
}

import ForgeBusStore
import Foundation

/// Locks a store for one process; the file contains the id of that process and the number of the last acknowledged
/// commit.
///
/// The lock file gets the number after each commit, without a sync, so the file may have an older number after a power
/// loss. A store with fewer commits than that number has lost acknowledged commits. Owned by the store's thread,
/// ``StoreLane``.
final class LockFile {
    /// The last acknowledged commit of a store that was not closed.
    struct Mark: Equatable {
        var store: String
        var commit: Int64
    }

    /// The mark that the last process left; nil if that process closed the store.
    let left: Mark?
    private(set) var descriptor: Int32
    private static let markOffset: off_t = 96

    /// Opens or creates the lock file at `path`, and locks it for this process.
    ///
    /// - Throws: `StoreError` with code `unavailable` when another process uses the store, or when a permission is
    ///   missing; `io` when the lock fails for another reason.
    init(at path: String, for store: String) throws(StoreError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Errors.failed("create", path, errno) }
        let text = Self.read(descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(descriptor)
            guard code == EWOULDBLOCK else { throw Errors.failed("lock", path, code) }
            throw Self.inUse(store, text)
        }
        left = Self.mark(in: Self.read(descriptor))
    }

    deinit { release() }

    /// Unlocks the store.
    func release() {
        guard descriptor >= 0 else { return }
        // Explicit, because closing may not unlock: a process being started holds a copy of the descriptor for a
        // moment.
        flock(descriptor, LOCK_UN)
        close(descriptor)
        descriptor = -1
    }

    /// Records that this process uses the store with the id `store`, whose latest commit has the number `commit`.
    func claim(_ store: String, commit: Int64) {
        let head = "process \(getpid())\nsince \(Date().ISO8601Format())\nstore \(store)\n"
        let text = head + String(repeating: " ", count: max(0, Int(Self.markOffset) - head.utf8.count))
        ftruncate(descriptor, 0)
        _ = text.withCString { pwrite(descriptor, $0, text.utf8.count, 0) }
        record(commit)
    }

    /// Records that the commit with this number is on the disk and may be acknowledged.
    func record(_ commit: Int64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 21) { digits in
            var rest = commit
            for index in stride(from: 19, through: 0, by: -1) {
                digits.initializeElement(at: index, to: UInt8(ascii: "0") + UInt8(rest % 10))
                rest /= 10
            }
            digits.initializeElement(at: 20, to: UInt8(ascii: "\n"))
            // If this write is lost, the next start may overlook lost commits, but never reports a loss wrongly.
            _ = pwrite(descriptor, digits.baseAddress, 21, Self.markOffset)
        }
    }

    /// Removes the mark, because the main file of the store contains all commits.
    ///
    /// From now on, an operator may replace that file with a backup.
    func clear() { ftruncate(descriptor, 0) }

    private static func read(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    private static func field(_ name: String, in text: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix(name + " ") }.map { String($0.dropFirst(name.count + 1)) }
    }

    private static func inUse(_ store: String, _ text: String) -> StoreError {
        // The file may still name a process that was killed; a process of another container has no id here.
        guard let process = field("process", in: text), let since = field("since", in: text),
            let id = pid_t(process), kill(id, 0) == 0 || errno != ESRCH
        else {
            return Errors.inUse(store)
        }
        return Errors.inUse(store, by: id, since: since)
    }

    private static func mark(in text: String) -> Mark? {
        let digits = text.utf8.dropFirst(Int(markOffset)).prefix(20)
        guard let store = field("store", in: text), digits.count == 20, let text = String(digits),
            let commit = Int64(text)
        else { return nil }
        return Mark(store: store, commit: commit)
    }
}

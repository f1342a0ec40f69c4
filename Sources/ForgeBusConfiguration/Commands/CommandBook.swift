import Foundation
import Logging
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Records the running commands in a file beside the store, so that the next worker can kill leftovers.
///
/// A ``Leader`` kills its command's group when the worker ends. If the leader is killed or stopped too, it cannot kill
/// the group. Without this file, the command would then run at the same time as its next attempt. The file has a slot
/// for each running command. It is never synced to disk, because no command survives a restart of the machine.
///
/// The book works only on Linux, where /proc distinguishes a process from a later process with the same number.
final class CommandBook: Sendable {
    /// A recorded command, which is running or was running when its worker ended.
    struct Entry: Hashable {
        /// The number of the command's process group, which is its leader's process number.
        let group: pid_t
        /// The leader's start time from /proc, in ticks since the machine's start.
        let start: UInt64
        /// The machine's boot id when the leader started.
        let boot: String
        let token: String
    }

    /// The open file and its slots; a lock protects them, because commands of many runs start and end concurrently.
    private struct State {
        /// The descriptor of the locked file; -1 if this book records nothing.
        var descriptor: Int32 = -1
        var free: [Int] = []
        var count = 0
    }

    private let state = Mutex(State())
    private let logger: Logger
    private static let slotSizeInBytes = 512
    /// The most bytes that are read from the file; no worker needs more.
    private static let largestFileSizeInBytes = 1 << 29

    init(logger: Logger) { self.logger = logger }

    deinit {
        let descriptor = state.withLock { $0.descriptor }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Kills the leftover commands in the file, and records running commands there from now on.
    ///
    /// The book kills nothing and records nothing if another worker has locked the file, if the file cannot be created,
    /// or if the system has no /proc. If the file cannot be created, the store beside it cannot be created either, and
    /// the store reports the error.
    func open(at path: String) {
        guard ProcessTable.boot != nil, state.withLock({ $0.descriptor }) < 0 else { return }
        let descriptor = openFile(path)
        guard descriptor >= 0, Self.lock(descriptor) else {
            if descriptor >= 0 { close(descriptor) }
            return
        }
        let entries = Self.entries(in: descriptor)
        for entry in entries.isEmpty ? [] : ProcessTable().end(entries) {
            logger.warning(
                Errors.leftover,
                metadata: ["forge_token": "\(entry.token)", "process_group": "\(entry.group)"]
            )
        }
        ftruncate(descriptor, 0)
        state.withLock { $0.descriptor = descriptor }
    }

    /// Records a command that is about to run in the group of this leader.
    ///
    /// - Returns: The command's slot in the file; nil if the command is not recorded.
    func enter(leader: pid_t, token: String) -> Int? {
        guard let boot = ProcessTable.boot, let process = ProcessTable.process(leader) else { return nil }
        let text = Entry(group: leader, start: process.start, boot: boot, token: token).text
        guard text.utf8.count <= Self.slotSizeInBytes else { return nil }
        return state.withLock { state in
            guard state.descriptor >= 0 else { return nil }
            let slot = state.free.popLast() ?? state.count
            state.count = max(state.count, slot + 1)
            Self.write(text, in: slot, of: state.descriptor)
            return slot
        }
    }

    /// Clears the slot of a command after the command and its group have ended.
    func leave(_ slot: Int) {
        state.withLock { state in
            Self.write("", in: slot, of: state.descriptor)
            state.free.append(slot)
        }
    }

    private static func write(_ text: String, in slot: Int, of descriptor: Int32) {
        var bytes = Array(text.utf8)
        bytes += Array(repeating: 0, count: slotSizeInBytes - bytes.count)
        // If the slot cannot be written, the next worker does not find it and does not kill its command.
        _ = pwrite(descriptor, bytes, bytes.count, off_t(slot * slotSizeInBytes))
    }

    private static func entries(in descriptor: Int32) -> [Entry] {
        let size = min(Int(max(0, lseek(descriptor, 0, SEEK_END))), largestFileSizeInBytes)
        var bytes = [UInt8](repeating: 0, count: size)
        let count = max(0, pread(descriptor, &bytes, size, 0))
        return stride(from: 0, to: count, by: slotSizeInBytes).compactMap { begin in
            let slot = bytes[begin..<min(begin + slotSizeInBytes, count)]
            return String(validating: slot.prefix { $0 != 0 }, as: UTF8.self).flatMap { Entry(text: $0) }
        }
    }

    /// Locks the file for this process only: children don't inherit the lock, so the lock ends with the worker.
    private static func lock(_ descriptor: Int32) -> Bool {
        var whole = flock()
        whole.l_type = Int16(F_WRLCK)
        whole.l_whence = Int16(SEEK_SET)
        return fcntl(descriptor, F_SETLK, &whole) == 0
    }
}

extension CommandBook.Entry {
    /// The entry as text: four words and a full stop, so that a truncated entry is invalid.
    fileprivate var text: String { "\(group) \(start) \(boot) \(token) ." }

    /// Parses an entry; nil if it is invalid.
    fileprivate init?(text: String) {
        let words = text.split(separator: " ")
        guard words.count == 5, words[4] == ".", let group = pid_t(words[0]), let start = UInt64(words[1]) else {
            return nil
        }
        self.init(group: group, start: start, boot: String(words[2]), token: String(words[3]))
    }
}

// A separate function, because inside the type `open` would mean the method.
private func openFile(_ path: String) -> Int32 { open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }

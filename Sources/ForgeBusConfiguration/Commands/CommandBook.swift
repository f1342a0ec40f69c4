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

/// Which commands of runs execute, kept in a file beside the store: the next worker ends what is left of them.
///
/// A leader ends its group with its worker. One that was killed with it, or had been stopped, cannot, and then the command
/// would execute beside its next attempt. The file has a slot for each command that executes, and is never synced: what
/// executed before the machine went down does not execute.
///
/// Only on Linux, where /proc tells one process from another that got its number.
final class CommandBook: Sendable {
    /// A command that executes, or did when its worker ended.
    struct Entry: Hashable {
        /// The number of its process group, which is its leader's.
        let group: pid_t
        /// When the leader started, as /proc tells it.
        let start: UInt64
        /// Which start of the machine that was.
        let boot: String
        let token: String
    }

    /// Guarded: commands of many runs begin and end at once.
    private struct State {
        /// The file, which is locked; -1 while nothing is kept.
        var descriptor: Int32 = -1
        var free: [Int] = []
        var count = 0
    }

    private let state = Mutex(State())
    private let logger: Logger
    private static let slotSizeInBytes = 512
    /// More than a worker can have at once.
    private static let largestFileSizeInBytes = 1 << 29

    init(logger: Logger) { self.logger = logger }

    deinit {
        let descriptor = state.withLock { $0.descriptor }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Ends what is left of the commands in the file, and keeps there from now on which ones execute.
    ///
    /// Where another worker has the file, nothing is touched, and nothing is kept. So it is where it cannot be made: the
    /// store beside it cannot be either, and says so.
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
                "an earlier worker's command was left, and is killed",
                metadata: ["token": "\(entry.token)", "group": "\(entry.group)"]
            )
        }
        ftruncate(descriptor, 0)
        state.withLock { $0.descriptor = descriptor }
    }

    /// A command is about to execute in the group of this leader.
    ///
    /// - Returns: Where it is kept; nil if nothing is.
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

    /// The command in `slot` has ended, and with it its group.
    func leave(_ slot: Int) {
        state.withLock { state in
            Self.write("", in: slot, of: state.descriptor)
            state.free.append(slot)
        }
    }

    private static func write(_ text: String, in slot: Int, of descriptor: Int32) {
        var bytes = Array(text.utf8)
        bytes += Array(repeating: 0, count: slotSizeInBytes - bytes.count)
        // What could not be written is not found, and left alone.
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

    /// A lock of the process, which no child of it has: it is gone with the worker, whatever that has started.
    private static func lock(_ descriptor: Int32) -> Bool {
        var whole = flock()
        whole.l_type = Int16(F_WRLCK)
        whole.l_whence = Int16(SEEK_SET)
        return fcntl(descriptor, F_SETLK, &whole) == 0
    }
}

extension CommandBook.Entry {
    /// The entry as it is kept: four words and a full stop, so that one that was cut is none.
    fileprivate var text: String { "\(group) \(start) \(boot) \(token) ." }

    /// What was kept; nil where it is anything else.
    fileprivate init?(text: String) {
        let words = text.split(separator: " ")
        guard words.count == 5, words[4] == ".", let group = pid_t(words[0]), let start = UInt64(words[1]) else {
            return nil
        }
        self.init(group: group, start: start, boot: String(words[2]), token: String(words[3]))
    }
}

// Inside the type, `open` would be its own function.
private func openFile(_ path: String) -> Int32 { open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }

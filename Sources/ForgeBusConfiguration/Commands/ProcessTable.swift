import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The processes of this machine, from /proc; empty without /proc.
struct ProcessTable {
    struct Process {
        let number: pid_t
        /// The number of the process's group.
        let group: pid_t
        /// The process's start time, in ticks since the machine's start.
        let start: UInt64
    }

    /// The machine's boot id; nil if /proc does not have it.
    static let boot = contents(of: "/proc/sys/kernel/random/boot_id").map {
        String(decoding: $0.prefix { $0 > 0x20 }, as: UTF8.self)
    }

    private let groups: [pid_t: [Process]]

    /// Reads the running processes.
    init() {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
        groups = Dictionary(grouping: numbers.compactMap(Self.process), by: \.group)
    }

    /// The process with that number; nil if it does not exist.
    static func process(_ number: pid_t) -> Process? {
        // The process's name is in brackets and may contain any character, so the fields begin after the last bracket.
        guard let stat = contents(of: "/proc/\(number)/stat"), let end = stat.lastIndex(of: UInt8(ascii: ")")) else {
            return nil
        }
        let fields = String(decoding: stat[(end + 1)...], as: UTF8.self).split(separator: " ")
        guard fields.count > 19, let group = pid_t(fields[2]), let start = UInt64(fields[19]) else { return nil }
        return Process(number: number, group: group, start: start)
    }

    /// Kills the process groups that certainly belong to the commands in `entries`.
    ///
    /// - Returns: The entries whose groups were killed.
    func end(_ entries: [CommandBook.Entry]) -> [CommandBook.Entry] {
        entries.filter { isThere($0) && kill(-$0.group, SIGKILL) == 0 }
    }

    /// Whether the entry's group still consists of processes of the entry's command.
    ///
    /// The system does not reuse a group's number while the group has a process. So the group belongs to the entry if
    /// the machine has not restarted, and these three conditions hold: the leader has the recorded start time or is
    /// gone; no other process of the group started earlier; and a process of the group has the entry's token, which no
    /// other command has.
    private func isThere(_ entry: CommandBook.Entry) -> Bool {
        guard entry.boot == Self.boot, entry.group > 1, entry.group != getpgrp() else { return false }
        let members = groups[entry.group] ?? []
        return members.allSatisfy { $0.number == entry.group ? $0.start == entry.start : $0.start >= entry.start }
            && members.contains { Self.has($0.number, entry.token) }
    }

    /// Whether the process's environment shows that it belongs to a command with this token, or leads the command.
    private static func has(_ number: pid_t, _ token: String) -> Bool {
        let variable = Array("FORGE_TOKEN=\(token)".utf8)
        return contents(of: "/proc/\(number)/environ")?.split(separator: 0)
            .contains { $0.elementsEqual(variable) || $0.elementsEqual(Leader.prefix + variable) } ?? false
    }

    private static func contents(of path: String) -> [UInt8]? {
        (try? Data(contentsOf: URL(fileURLWithPath: path))).map { [UInt8]($0) }
    }
}

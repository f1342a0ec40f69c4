import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The processes of this machine, as /proc tells of them; none where there is no /proc.
struct ProcessTable {
    struct Process {
        let number: pid_t
        /// The number of its process group.
        let group: pid_t
        /// When it started, in ticks since the machine did.
        let start: UInt64
    }

    /// Which start of the machine this is; nil where that is not told.
    static let boot = contents(of: "/proc/sys/kernel/random/boot_id").map {
        String(decoding: $0.prefix { $0 > 0x20 }, as: UTF8.self)
    }

    private let groups: [pid_t: [Process]]

    /// What executes now.
    init() {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
        groups = Dictionary(grouping: numbers.compactMap(Self.process), by: \.group)
    }

    /// The process of that number; nil if there is none.
    static func process(_ number: pid_t) -> Process? {
        // The name, in brackets, may hold anything.
        guard let stat = contents(of: "/proc/\(number)/stat"), let end = stat.lastIndex(of: UInt8(ascii: ")")) else {
            return nil
        }
        let fields = String(decoding: stat[(end + 1)...], as: UTF8.self).split(separator: " ")
        guard fields.count > 19, let group = pid_t(fields[2]), let start = UInt64(fields[19]) else { return nil }
        return Process(number: number, group: group, start: start)
    }

    /// Kills the groups that are certain to be those of `entries`.
    ///
    /// - Returns: Those that were killed.
    func end(_ entries: [CommandBook.Entry]) -> [CommandBook.Entry] {
        entries.filter { isThere($0) && kill(-$0.group, SIGKILL) == 0 }
    }

    /// Whether what is in the group now is the command of the entry, or what that left.
    ///
    /// The number of a group is given to no process as long as the group has one. So its leader is the one that was kept,
    /// which started when that did, or is gone; and somebody in it has the token, which no other command has.
    private func isThere(_ entry: CommandBook.Entry) -> Bool {
        guard entry.boot == Self.boot, entry.group > 1, entry.group != getpgrp() else { return false }
        let members = groups[entry.group] ?? []
        return members.allSatisfy { $0.number == entry.group ? $0.start == entry.start : $0.start >= entry.start }
            && members.contains { Self.has($0.number, entry.token) }
    }

    /// Whether that is the token in the environment of a command, or of its leader.
    private static func has(_ number: pid_t, _ token: String) -> Bool {
        let variable = Array("FORGE_TOKEN=\(token)".utf8)
        return contents(of: "/proc/\(number)/environ")?.split(separator: 0)
            .contains { $0.elementsEqual(variable) || $0.elementsEqual(Leader.prefix + variable) } ?? false
    }

    private static func contents(of path: String) -> [UInt8]? {
        (try? Data(contentsOf: URL(fileURLWithPath: path))).map { [UInt8]($0) }
    }
}

import Foundation
import TestSupport

@testable import ForgeBusConfiguration

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A leader that a test has started by itself, with a shell's command; what it writes is nobody's.
struct LedProcess: ~Copyable {
    let number: pid_t
    private let leader: Leader

    /// - Throws: POSIXError where the system does not start it.
    init(_ script: String, in directory: TemporaryDirectory, token: String = "none") throws {
        let leader = try Leader()
        let number = try Self.spawn(
            [Leader.name, "/bin/sh", "-c", "cd '\(directory.path)'; \(script)"],
            Leader.environment(of: ["PATH": "/usr/bin:/bin", "FORGE_TOKEN": token]).map { "\($0)=\($1)" },
            input: leader.input
        )
        close(leader.input)
        self.number = number
        self.leader = leader
    }

    /// Has the command begin.
    borrowing func begin() throws { leader.begin(reading: try InputFile([]), during: nil) }

    /// Lets the leader go, as a worker does that is no more; the leader is left to nobody.
    consuming func letGo() {}

    /// Waits until the leader has ended, and gives its status as the system tells it.
    borrowing func status() -> Int32 {
        var status: Int32 = 0
        while waitpid(number, &status, 0) < 0, errno == EINTR {}
        return status
    }

    private static func spawn(_ arguments: [String], _ variables: [String], input: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        let words = (arguments + variables).map { strdup($0) }
        defer { words.forEach { free($0) } }
        var number: pid_t = 0
        let error = posix_spawn(
            &number,
            Leader.program ?? "",
            &actions,
            &attributes,
            words[..<arguments.count] + [nil],
            words[arguments.count...] + [nil]
        )
        guard error == 0 else { throw POSIXError(.init(rawValue: error) ?? .EIO) }
        return number
    }
}

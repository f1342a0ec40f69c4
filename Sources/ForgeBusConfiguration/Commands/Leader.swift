import CLeader
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The worker's end of the socket to a command's leader; when the socket closes, the leader kills the command.
///
/// A leader is this program, started again under another name; `CLeader` contains the leader's code. The leader leads
/// the command's process group, and kills the whole group. It starts the command only on request, so that the worker
/// can record the command before the command runs.
struct Leader: ~Copyable {
    /// The program to start as a leader; nil if commands run without leaders.
    ///
    /// Commands run without leaders if this code is in a library that the program has loaded, and on every system other
    /// than macOS and Linux with glibc.
    static let program: String? = {
        let path = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            count = buffer.withMemoryRebound(to: CChar.self) { forge_leader_path($0.baseAddress!, $0.count) }
        }
        return path.isEmpty ? nil : String(validating: path, as: UTF8.self)
    }()

    /// The name under which a leader is started, as its argument 0.
    static let name = FORGE_LEADER_NAME

    /// The prefix of the command's variables in the leader's own environment.
    static let prefix = Array(FORGE_LEADER_VARIABLE.utf8)

    /// The leader's standard input; the code that starts the leader closes it.
    let input: Int32
    private let worker: Int32

    /// The system could not create the socket to a leader.
    struct Failure: Error, CustomStringConvertible {
        let number: Int32
        var description: String { Errors.leaderSocket(number) }
    }

    init() throws(Failure) {
        var ends: [Int32] = [-1, -1]
        guard forge_leader_connect(&ends) == 0 else { throw Failure(number: errno) }
        (worker, input) = (ends[0], ends[1])
    }

    deinit { close(worker) }

    /// Makes the environment of a leader from the environment of its command.
    ///
    /// The result also contains the worker's library paths, because the leader must find the same libraries.
    static func environment(of command: [String: String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: command.map { (FORGE_LEADER_VARIABLE + $0, $1) })
            .merging(loaderPaths) { variable, _ in variable }
    }

    private static let loaderPaths = ProcessInfo.processInfo.environment.filter {
        ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH"].contains($0.key)
    }

    /// Tells the leader to start its command, and to kill the command when the lease ends, if there is a lease.
    ///
    /// The method does nothing if the leader has ended.
    func begin(reading file: borrowing InputFile, during lease: CommandLease?) {
        _ = forge_leader_begin(worker, file.descriptor, lease?.descriptor ?? -1)
    }

    /// The system's error number if the command could not be started; nil if it was started.
    ///
    /// The value is known only after the leader has ended.
    var failure: Int32? {
        let number = forge_leader_failure(worker)
        return number == 0 ? nil : number
    }
}

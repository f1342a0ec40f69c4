import CLeader
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The worker's hold on a command's leader: the leader kills its group when this is gone, and with it the command.
///
/// A leader is this very program, started again under a name of its own; `CLeader` says how it goes on. It starts its
/// command when it is told to, so that whatever must be known of the command before it begins can be.
struct Leader: ~Copyable {
    /// The program that is a leader when it is started as one; nil where commands have none, because this code is part of
    /// a library that the program has loaded.
    static let program: String? = {
        let path = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            count = buffer.withMemoryRebound(to: CChar.self) { forge_leader_path($0.baseAddress!, $0.count) }
        }
        return path.isEmpty ? nil : String(validating: path, as: UTF8.self)
    }()

    /// What a leader is called, its argument 0.
    static let name = FORGE_LEADER_NAME

    /// What the names of its command's variables begin with in its own environment.
    static let prefix = Array(FORGE_LEADER_VARIABLE.utf8)

    /// What is to be its standard input; whoever starts the leader closes it.
    let input: Int32
    private let worker: Int32

    /// The system did not let the line to a leader be made.
    struct Failure: Error, CustomStringConvertible {
        let number: Int32
        var description: String { "it cannot be led: \(String(cString: strerror(number)))" }
    }

    init() throws(Failure) {
        var ends: [Int32] = [-1, -1]
        guard forge_leader_connect(&ends) == 0 else { throw Failure(number: errno) }
        (worker, input) = (ends[0], ends[1])
    }

    deinit { close(worker) }

    /// The environment of a leader whose command has that one.
    ///
    /// The loader's paths are the worker's, which found its libraries with them: it has to find them again.
    static func environment(of command: [String: String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: command.map { (FORGE_LEADER_VARIABLE + $0, $1) })
            .merging(loaderPaths) { variable, _ in variable }
    }

    private static let loaderPaths = ProcessInfo.processInfo.environment.filter {
        ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH"].contains($0.key)
    }

    /// Has the leader start its command; one that is gone already has none.
    func begin(reading file: borrowing InputFile) { _ = forge_leader_begin(worker, file.descriptor) }

    /// Why the command could not be started, as the system numbers it; nil if it could.
    ///
    /// Known when the leader has ended.
    var failure: Int32? {
        let number = forge_leader_failure(worker)
        return number == 0 ? nil : number
    }
}

import Foundation
import Subprocess

/// A fresh directory, short enough to hold a socket.
struct Scratch: Sendable {
    let path: String

    init() throws {
        path = "/tmp/forgebus-test-\(UUID().uuidString.prefix(13))"
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// - Returns: The file's path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: "\(path)/\(name)", atomically: true, encoding: .utf8)
        return "\(path)/\(name)"
    }

    /// The lines of a file.
    func lines(_ name: String) throws -> [String] {
        try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// What has a worker keep its store here, below `forgebus`, if nobody says otherwise.
    var stateHome: [String: String?] { ["XDG_STATE_HOME": path] }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(path)/\(name)") }

    /// Makes a pipe that processes find by name.
    func makePipe(_ name: String) { mkfifo("\(path)/\(name)", 0o600) }

    /// Waits until somebody has opened the pipe to write, and everybody who did has closed it.
    ///
    /// A process of its own does the waiting.
    func read(_ name: String) async throws {
        _ = try await Subprocess.run(.name("cat"), arguments: ["\(path)/\(name)"], output: .discarded)
    }

    /// Lets whoever reads the pipe go on.
    func release(_ name: String) async throws {
        _ = try await Subprocess.run(
            .name("sh"),
            arguments: ["-c", "echo >\"$0\"", "\(path)/\(name)"],
            output: .discarded
        )
    }
}

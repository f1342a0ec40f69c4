import ForgeBusProtocol

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A program that a command of the file starts, with the program's place in the file.
struct ProgramUse: Sendable {
    let program: Command.Program
    /// The directories in which the program is looked up, joined by colons.
    let path: String
    let file: String
    let position: Position?
    let key: String

    /// The error if the program does not exist on this machine or cannot be executed; nil if it can be executed.
    var error: ConfigurationError? {
        guard var error = flaw else { return nil }
        (error.file, error.line, error.column, error.key) = (file, position?.line, position?.column, key)
        return error
    }

    private var flaw: ConfigurationError? {
        switch program {
        case .path(let path):
            guard access(path, F_OK) == 0 else {
                return errno == EACCES ? Errors.closedPath(ofProgram: path) : Errors.noProgram(atPath: path)
            }
            return access(path, X_OK) == 0 ? nil : Errors.notExecutable(path)
        case .name(let name):
            let directories = path.split(separator: ":")
            if directories.contains(where: { access("\($0)/\(name)", X_OK) == 0 }) { return nil }
            return Errors.noProgram(named: name, in: path)
        }
    }

    /// Whether there is a directory at `path`.
    static func isDirectory(_ path: String) -> Bool { access("\(path)/.", F_OK) == 0 }
}

/// The programs of all commands in a file.
///
/// Owned by the code that reads the file.
final class ProgramList {
    private(set) var uses: [ProgramUse] = []

    /// Adds the program of a command; `entry` is the program's place in the file.
    func add(_ command: Command, at entry: Entry) {
        uses.append(
            ProgramUse(
                program: command.program,
                path: command.environment["PATH"] ?? "",
                file: entry.problems.file,
                position: entry.position,
                key: entry.key
            )
        )
    }
}

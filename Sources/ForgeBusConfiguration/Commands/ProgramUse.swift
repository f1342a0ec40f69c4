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
        guard let flaw else { return nil }
        var error = ConfigurationError(.missingProgram, flaw.cause, next: flaw.next)
        (error.file, error.line, error.column, error.key) = (file, position?.line, position?.column, key)
        return error
    }

    private var flaw: (cause: String, next: String)? {
        switch program {
        case .path(let path):
            guard access(path, F_OK) == 0 else {
                if errno == EACCES {
                    return (
                        "A directory of the path \(Printable.quoted(path)) cannot be entered.",
                        "Let the user that runs this program enter each directory of the path."
                    )
                }
                return (
                    "There is no program \(Printable.quoted(path)).",
                    path.contains(" ")
                        ? "\(Self.arguments); otherwise correct the path, or create the program."
                        : "Correct the path, or create the program."
                )
            }
            guard access(path, X_OK) == 0 else {
                return ("The file \(Printable.quoted(path)) cannot be executed.", "Make it executable: chmod +x.")
            }
            return nil
        case .name(let name):
            let directories = path.split(separator: ":")
            if directories.contains(where: { access("\($0)/\(name)", X_OK) == 0 }) { return nil }
            let value = path.isEmpty ? "empty" : path
            let next =
                name.contains(" ")
                ? "\(Self.arguments); otherwise install the program, or correct PATH, which is \(value)."
                : "Install it, write ./\(name) for a program beside the worker file, or correct PATH, which is "
                    + "\(value)."
            return ("There is no program \(Printable.quoted(name)) in PATH.", next)
        }
    }

    /// The advice for a program whose text has a space.
    private static let arguments =
        "If this text has arguments, write each of them as an entry of its own, such as [make, all]"

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

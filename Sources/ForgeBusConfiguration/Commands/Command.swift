import ForgeBusProtocol
import ForgeOrchestrator

/// A program with its arguments, directory, environment and time limit.
///
/// There is no shell: the program gets each argument exactly as the file has it, without substitutions.
struct Command: Sendable {
    /// The program and its arguments; never empty.
    let arguments: [String]
    /// The working directory, absolute.
    let directory: String
    /// The complete environment.
    let environment: [String: String]
    let timeLimit: Duration
    /// How long its processes may take to end after SIGTERM, before SIGKILL.
    var grace: Duration = .seconds(5)
    /// Where its execution is recorded, if it has a token.
    var book: CommandBook?

    /// The most bytes of standard output.
    static let maximumOutputSizeInBytes = 1024 * 1024
    /// The number of standard error's last bytes that are kept.
    static let errorTailSizeInBytes = 64 * 1024
    /// The exit status for "nothing done, and not an error": EX_TEMPFAIL of sysexits.h.
    static let skippedStatus: Int32 = 75

    /// The program: a path with a slash is relative to the directory, a bare name is looked up in PATH.
    var program: Program {
        let name = arguments[0]
        guard name.contains("/") else { return .name(name) }
        return .path(PathText.absolute(name, in: directory))
    }

    enum Program: Hashable {
        case name(String)
        case path(String)
    }
}

/// The result of a command.
struct CommandResult: Sendable {
    enum Ending: Hashable, Sendable {
        case exited(Int32)
        case signalled(Int32)
        /// It exceeded its time limit and was killed.
        case overdue(Duration)
        /// It wrote more output than allowed and was killed.
        case tooMuchOutput
        /// The task was cancelled; the command was killed if it had started.
        case cancelled
        /// It could not be started, with the reason.
        case notStarted(String)
    }

    let ending: Ending
    /// Its standard output.
    var output: [UInt8] = []
    /// The last line of its standard error that is not blank.
    var lastErrorLine: String?

    /// The result for the orchestrator: 0 completed, 75 skipped, anything else failed.
    var actionResult: ActionResult {
        switch ending {
        case .exited(0): .completed
        case .exited(Command.skippedStatus): .skipped
        default: .failed(reason)
        }
    }

    /// The ending as a text.
    var reason: String {
        let cause =
            switch ending {
            case .exited(let status): "exit status \(status)"
            case .signalled(let number): "killed by signal \(number)"
            case .overdue(let limit): "took longer than \(limit), and was ended"
            case .tooMuchOutput: "wrote more than 1 MiB to its standard output, and was killed"
            case .cancelled: "cancelled"
            case .notStarted(let cause): "could not be started: \(cause)"
            }
        return lastErrorLine.map { "\(cause): \($0)" } ?? cause
    }
}

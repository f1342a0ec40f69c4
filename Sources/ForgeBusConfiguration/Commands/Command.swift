import ForgeBusProtocol
import ForgeOrchestrator

/// A program with its arguments, where and with what it runs, and for how long at most.
///
/// There is no shell: each argument reaches the program as it stands in the file, and nothing is put into it.
struct Command: Sendable {
    /// The program and its arguments; never empty.
    let arguments: [String]
    /// Where it runs, absolute.
    let directory: String
    /// All of its environment.
    let environment: [String: String]
    let timeLimit: Duration
    /// How long its processes may take to end after SIGTERM, before SIGKILL.
    var grace: Duration = .seconds(5)
    /// Where it is kept that it executes, if it has a token.
    var book: CommandBook?

    /// The most bytes it may write to its standard output.
    static let maximumOutputSizeInBytes = 1024 * 1024
    /// The last bytes of its standard error that are kept.
    static let errorTailSizeInBytes = 64 * 1024
    /// The exit status for "nothing done, and that is no error": EX_TEMPFAIL of sysexits.h.
    static let skippedStatus: Int32 = 75

    /// The program: a path with a slash is one from the directory, a bare name is looked up in PATH.
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

/// What became of a command.
struct CommandResult: Sendable {
    enum Ending: Hashable, Sendable {
        case exited(Int32)
        case signalled(Int32)
        /// It took longer than its time limit, and was ended.
        case overdue(Duration)
        /// It wrote more than may be read, and was killed.
        case tooMuchOutput
        /// The task was cancelled, and the command ended if it had begun.
        case cancelled
        /// It could not be started, and why.
        case notStarted(String)
    }

    let ending: Ending
    /// What it wrote to its standard output.
    var output: [UInt8] = []
    /// The last line it wrote to its standard error, if there is one that is not blank.
    var lastErrorLine: String?

    /// The ending as an action reports it: 0 completed, 75 skipped, anything else failed.
    var actionResult: ActionResult {
        switch ending {
        case .exited(0): .completed
        case .exited(Command.skippedStatus): .skipped
        default: .failed(reason)
        }
    }

    /// The ending in words.
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

import ForgeBusProtocol
import ForgeOrchestrator

/// A program with its arguments, directory, environment and time limit.
///
/// There is no shell: the program gets each argument exactly as it is in the worker file, without substitutions.
struct Command: Sendable {
    /// The program and its arguments; never empty.
    let arguments: [String]
    /// The working directory, absolute.
    let directory: String
    /// The complete environment.
    let environment: [String: String]
    let timeLimit: Duration
    /// How long the command's processes may take to end after SIGTERM, before they get SIGKILL.
    var grace: Duration = .seconds(5)
    /// How many bytes of standard output are kept, of any text; nil if only a JSON document is kept as a whole.
    ///
    /// A command that writes more is killed.
    var wholeOutputInBytes: Int?
    /// Where the command is recorded while it runs, if it has a `FORGE_TOKEN`; nil if no command is recorded.
    var book: CommandBook?
    /// The lease of the worker's store; nil for a worker that needs no lease.
    ///
    /// The command begins only during the lease, and is killed when the lease ends.
    var lease: CommandLease?

    /// The most bytes of a JSON document that a command may write to its standard output.
    static let largestDocumentInBytes = 1024 * 1024
    /// How many bytes are kept of standard error, and of a text on standard output; earlier bytes are dropped.
    static let longestTextInBytes = PrintedText.maximumSizeInBytes
    /// The exit status of a command that skips its work without an error: EX_TEMPFAIL of sysexits.h.
    static let skippedStatus: Int32 = 75

    /// The program: a path if its text contains a slash, otherwise a name that is looked up in PATH.
    ///
    /// A path that is not absolute is relative to ``directory``.
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
        /// The command exceeded its time limit, and the worker ended it; the value is the limit.
        case overdue(Duration)
        /// The command wrote a longer JSON document, or a longer text, than allowed, and was killed.
        case tooLargeDocument
        /// The task was cancelled; if the command had started, the worker ended it.
        case cancelled
        /// The command could not be started; the value is the reason.
        case notStarted(String)
    }

    let ending: Ending
    /// The command's standard output: the whole of a JSON document, or the end of a text.
    var output = CommandOutput()
    /// The end of the command's standard error.
    var errors = CommandOutput()

    /// The result for the orchestrator: 0 completed, 75 skipped, anything else failed.
    var actionResult: ActionResult {
        switch ending {
        case .exited(0): .completed
        case .exited(Command.skippedStatus): .skipped
        default: .failed(reason)
        }
    }

    /// How the command ended and the last line that it printed, as a part of a message.
    var reason: String {
        let cause = Errors.ending(ending)
        // The advice of this cause does not continue with a printed line.
        if ending == .tooLargeDocument { return cause }
        // Many programs report their errors on standard output.
        let line = errors.lastLine ?? (output.isDocument ? nil : output.lastLine)
        return line.map { "\(cause): \($0)" } ?? cause
    }
}

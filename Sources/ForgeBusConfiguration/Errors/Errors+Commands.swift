import ForgeBusProtocol
import Foundation
import Logging

// The words about running commands and posts: parts of the reason why an action failed, and lines of the log.

extension Errors {
    static func inputFile(_ number: Int32) -> String {
        let advice =
            switch number {
            case EMFILE: "; raise the limit of the worker's process for open files (ulimit -n)"
            case ENOENT, ENOTDIR, EACCES, EROFS:
                "; set TMPDIR for the worker to a directory in which it may create files"
            default: ""
            }
        return "its input file cannot be written in \"\(NSTemporaryDirectory())\": "
            + "\(String(cString: strerror(number)))\(advice)"
    }

    static func leaderSocket(_ number: Int32) -> String {
        "the worker cannot make a socket for the command: \(String(cString: strerror(number)))"
            + (number == EMFILE ? "; raise the limit of the worker's process for open files (ulimit -n)" : "")
    }

    /// Why the program at `path` could not be started.
    ///
    /// For a missing program, the text is the same as that of the error when a command without a leader cannot be
    /// started.
    static func start(_ path: String, _ number: Int32, exists: Bool) -> String {
        switch number {
        case ENOENT where exists:
            return "\"\(path)\" exists, but its interpreter does not: correct the first line of a script (#!), or "
                + "build an executable for this machine"
        case ENOENT, EACCES, ENOTDIR: return "Executable \"\(path)\" is not found or cannot be executed."
        case ENOEXEC:
            let rule = "a script must begin with a line such as #!/bin/sh, and a program must be built for this machine"
            return "\(String(cString: strerror(number))): \(rule)"
        default: return String(cString: strerror(number))
        }
    }

    /// How a command ended.
    static func ending(_ ending: CommandResult.Ending) -> String {
        switch ending {
        case .exited(let status): "exit status \(status)"
        case .signalled(let number): "killed by signal \(number)"
        case .overdue(let limit): "took longer than its `timeout`, \(limit), and was ended"
        case .tooLargeDocument:
            "wrote more than 1 MiB of JSON to its standard output, and was killed; large data belongs in a file"
        case .cancelled: "did not finish, because the worker cancelled it"
        case .notStarted(let cause): "its command could not be started: \(cause)"
        }
    }

    /// A document on standard output that is not one JSON object.
    static func notObject(_ error: BusError) -> String {
        let flaw = error.message.replacing("The text is not acceptable JSON: ", with: "", maxReplacements: 1)
        let next = "Print only one valid JSON object on standard output, and other text on standard error."
        return "its standard output begins with {, but is not one JSON object: \(flaw) \(next)"
    }
}

// MARK: The lease

extension Errors {
    /// The reason why nothing begins outside the lease, as a part of a sentence.
    static let leaseLost =
        "this process has lost its lease on the worker's database and stops, because another process may be the worker "
        + "now"

    static let noRoomForLease =
        "The system gives this process no file descriptor or no memory. A worker with a database needs both, to "
        + "stop the commands of its actions if another process takes the worker over."
}

// MARK: Posts

extension Errors {
    static func otherPath(_ place: String) -> String {
        let cause = "with the values of this run, a part of the path of \(place) would be empty, \".\" or \"..\""
        return "nothing was sent: \(cause); give the placeholders of the path other values"
    }

    /// A redirect, which a post does not follow; `location` is where it leads, if the answer says it.
    static func redirect(_ origin: String, status: Int, to location: String?) -> String {
        let place = location.map { " to \(Printable.quoted($0))" } ?? ""
        let advice =
            place.isEmpty
            ? "; check the URL in the worker file"
            : "; if this is the right place, write its whole URL in the worker file"
        let reason = "the server redirects\(place) (status \(status)), and a post follows no redirect"
        return "\(origin): \(reason)\(advice)"
    }
}

// MARK: The log

extension Errors {
    static let leftover: Logger.Message = """
        killed a command that the worker's previous process had left running; the command's action begins \
        again, or the run of this action is parked
        """

    static let startupFailed: Logger.Message = """
        a startup action failed and runs again after `pause`; the worker accepts no runs and notifications \
        until the action succeeds: see in `reason` what to correct
        """

    /// A condition without an answer; `countsAs` is the answer that it counts as.
    static func unclearCondition(hasExited: Bool, isCancelled: Bool, countsAs answer: String) -> Logger.Message {
        let outcome = answer == "no" ? "the action is skipped" : "the gate waits for its decision"
        let ending =
            isCancelled
            ? "its run or cycle was cancelled or took too long, or the worker stops"
            : "its command did not run to its end, so \(outcome)"
        return hasExited
            ? "a condition gave no clear answer, so \(outcome); its command must exit with 0 for yes or with 1 for no"
            : "a condition gave no answer, because \(ending)"
    }
}

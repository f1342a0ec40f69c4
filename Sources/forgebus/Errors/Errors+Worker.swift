import ForgeBusConfiguration
import ForgeBusProtocol
import Foundation
import Logging

#if canImport(Musl)
import Musl
#endif

/// The process of a worker.
extension Errors {
    static func tooFewOpenFiles(limit: Int, needed: Int) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "The limit of open files of this process is \(limit), and a worker or gateway needs at least \(needed).",
            next: "Raise the limit and its hard limit: with `ulimit -n 1024` in a shell that may do so, or with "
                + "LimitNOFILE in the unit of systemd."
        )
    }

    static func noDemonstrationDirectory(_ path: String, _ code: Int32) -> ConfigurationError {
        ConfigurationError(
            .directory,
            "The directory \(path) for the demonstration cannot be created: \(String(cString: strerror(code))).",
            next: "Let the variable TMPDIR name a directory that exists and in which this user may write, or serve a "
                + "worker file with --config."
        )
    }

    static func withoutPostgreSQL(_ url: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "This program was built without PostgreSQL, so it cannot use \(url).",
            next:
                "Use a program that was built with PostgreSQL (the default of `swift build`), or choose a file as the "
                + "store."
        )
    }

    static let adviceOnForetoldRuns =
        "To avoid this, let such a run end under the earlier worker file first; otherwise redrive or cancel it after the "
        + "start."

    static let adviceOnUsedStore =
        "If a worker uses the store, make a backup with `forgebus store backup BACKUP`, which prints the path of the "
        + "backup, and check again with --store and this path. If another program uses the store, close that program, "
        + "and check again. If the store cannot be opened, check the owner and the permissions of its files."
}

/// The log of a worker.
extension Errors {
    static let nothingToReread: Logger.Message = """
        SIGHUP has no effect, because this worker has no access file to read again; after a change of the worker file, \
        restart the worker
        """

    static let droppedLines: Logger.Message = """
        log lines were dropped, because standard error did not accept them; check the program or the disk that gets the \
        log
        """

    static let databaseUnusable: Logger.Message = """
        the database cannot be used now: the worker tries again, and changes wait until they can be stored; check that \
        the database server runs, and that this machine can reach it
        """

    static let heldWithOtherDefinitions: Logger.Message = """
        another process runs the worker, with other definitions in its worker file: this process takes the worker over \
        when the other process is stopped, but not if the other process fails
        """

    static let failedWithOtherDefinitions: Logger.Message = """
        no process runs the worker: the process that ran it failed, and had other definitions in its worker file; start \
        a process with the file of the failed process, or, to use the definitions of this process, start this process \
        again with --replace-definitions
        """

    /// The service manager did not hear from a `service`, which is a worker or a gateway.
    static func managerNotNotified(of service: String) -> Logger.Message {
        """
        the service manager (systemd) could not be notified of the \(service)'s state; if it started the \(service), it \
        may end the \(service)
        """
    }
}

/// The socket of the service manager.
extension Errors {
    static func noSocketAddress(_ address: String) -> NotifySocket.Unheard {
        unheard(
            address,
            ", but must be an absolute path or a name that begins with @. Correct the variable; or remove it, if no "
                + "service manager started this program."
        )
    }

    static func longSocketAddress(_ address: String, most: Int) -> NotifySocket.Unheard {
        unheard(
            address,
            ", which is too long for a socket: it may have at most \(most) bytes. Mount the socket at a shorter path, and "
                + "set NOTIFY_SOCKET to that path."
        )
    }

    static func unheard(_ address: String, _ code: Int32) -> NotifySocket.Unheard {
        let advice =
            switch code {
            case ENOENT, ECONNREFUSED:
                "In a container, mount the host's socket at this path. If no service manager started this program, "
                    + "remove the variable."
            case EACCES, EPERM: "Let the user that runs this program write to the socket."
            case EAGAIN, ENOBUFS: "Check that the service manager runs: it did not take the notice in time."
            case EMFILE, ENFILE: "Let this program open more files."
            default: "Correct the variable; or remove it, if no service manager started this program."
            }
        let cause = String(cString: strerror(code))
        return unheard(address, ", and the socket cannot be used: \(cause). \(advice)")
    }

    private static func unheard(_ address: String, _ rest: String) -> NotifySocket.Unheard {
        NotifySocket.Unheard(description: "NOTIFY_SOCKET is \(Printable.quoted(address, atMost: 300))\(rest)")
    }
}

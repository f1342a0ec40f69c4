#if HTTP
import ForgeBusConfiguration
import ForgeBusGateway
import ForgeBusProtocol
import ForgeBusWorker
import Foundation
import Logging
import ZeroMQ

/// What serves HTTP.
extension Errors {
    static let incompleteGatewayKeys = ConfigurationError(
        .badValue,
        "A gateway needs all three of --access, --server-key and --certificate, or none of them.",
        next: "Give all three for a worker with keys, and none for a worker without keys; the variables "
            + "FORGEBUS_SERVER_KEY and FORGEBUS_CERTIFICATE count as options. A gateway of a fleet alone needs no "
            + "--server-key, because the inventory has the keys."
    )

    static let noFleetReader = ConfigurationError(
        .badValue,
        "The fleet has workers with keys, and --fleet-reader is missing: a key with `act_as` has no right of its own.",
        next: "Name a principal with `--fleet-reader NAME` that each access file grants `read: [\"monitor.>\"]`, and "
            + "grant `act_as` for it to the gateway."
    )

    static let tokenFileBesideKeys = ConfigurationError(
        .badValue,
        "--token-file is for a worker without keys, and the tokens of this worker are in its access file.",
        next: "Leave out --token-file; `forgebus token NAME` makes a token."
    )

    static func webhookOfNobody(_ name: String) -> ConfigurationError {
        ConfigurationError(
            .missingKey,
            "The webhook \(Printable.quoted(name)) has no `as`, which a worker with keys needs.",
            next:
                "Add `as: NAME` to this webhook in the file of --config; NAME is the principal for which its requests "
                + "are sent."
        )
    }

    static let hostForOthers =
        " For users on other machines, start `forgebus worker` or `forgebus gateway` with --host NAME, the name of this "
        + "machine."

    static func loginLink(_ url: String, tokenFile: String) -> String {
        "The console is at \(url) (the link works once, within 10 minutes; later, log in with the token in the file "
            + "\(Printable.quoted(tokenFile, atMost: 200)))."
    }

    static func whereTheTokenGoes(_ principal: String) -> String {
        "The token is not shown again. Add these lines to the access file, below the principal \"\(principal)\" (only the "
            + "last line if this principal has `tokens:` already), and send SIGHUP to the process that serves HTTP:"
    }

    static let certificateKept: Logger.Message = """
        the gateway keeps its certificate, because the new files cannot be used; correct the files, and send SIGHUP again
        """

    static let tokensKept: Logger.Message = """
        the gateway keeps its tokens, because its access file cannot be used; correct the file, and send SIGHUP again
        """

    static func stoppedWorker(_ error: any Error) -> BusError {
        let next =
            "Send the request again later. If the worker still does not answer, ask the operator to read the worker's "
            + "log and to start the worker again."
        if let cause = error as? ZeroMQError {
            return BusError(
                .unreachable,
                "The gateway cannot reach the worker. \(cause.message)",
                next: "\(next) Advice for the operator: \(cause.next)"
            )
        }
        guard let cause = error as? WorkerError else {
            return BusError(.unreachable, "The worker does not answer requests now. \(error)", next: next)
        }
        switch cause.code {
        case .standby: return BusError(.unreachable, cause.message, next: cause.next)
        // The advice of a `usage` error is for a program in Swift, and not for a user of HTTP.
        case .usage: return BusError(.unreachable, cause.message, next: next)
        default:
            return BusError(
                .unreachable,
                "The worker has stopped because of an error. \(cause.message)",
                next: "\(next) Advice for the operator: \(cause.next)"
            )
        }
    }
}

/// Files with a secret, which the option `option` names.
extension Errors {
    static func tokenFileNotCreated(_ path: String, _ code: Int32) -> ConfigurationError {
        secret(
            "The file \(path) cannot be created: \(String(cString: strerror(code))).",
            code == ENOSPC || code == EDQUOT
                ? "Free disk space, or name another file with --token-file."
                : "With --token-file, name a file in a directory that exists and in which this user may write."
        )
    }

    static func tokenFileNotWritten(_ path: String, _ why: String) -> ConfigurationError {
        secret(
            "The file \(path) cannot be written: \(why).",
            "Free disk space, or name another file with --token-file."
        )
    }

    static func noToken(in path: String) -> ConfigurationError {
        secret(
            "The file \(path) has no token: a token is \(AccessToken.prefix) and 43 further characters.",
            "If the file is only for the token, remove it: at its next start, the gateway makes a new one with a new "
                + "token. Otherwise name another file with --token-file."
        )
    }

    static func linkToSecret(_ path: String, _ option: String) -> ConfigurationError {
        secret(
            "The file \(path) is a symbolic link, and the gateway follows no link to a file with a secret.",
            "With \(option), name the file to which the link leads."
        )
    }

    static func secretNotOpened(_ path: String, _ option: String, _ code: Int32) -> ConfigurationError {
        secret(
            "The file \(path) cannot be opened: \(String(cString: strerror(code))).",
            option == "--token-file"
                ? "Let this user read the file, or name another file with --token-file; a missing file is made, with a "
                    + "new token."
                : "With \(option), name a file that exists and that this user may read."
        )
    }

    static func secretIsDirectory(_ path: String, _ option: String) -> ConfigurationError {
        secret("The path \(path) leads to a directory, and not to a file.", "With \(option), name a file.")
    }

    static func secretOfAnotherUser(_ path: String, _ option: String) -> ConfigurationError {
        secret(
            "The file \(path) belongs to another user.",
            "Make this user the owner of the file, or name another file with \(option)."
        )
    }

    static func secretForOthers(_ path: String) -> ConfigurationError {
        secret(
            "The permissions of the file \(path) let other users read or change it.",
            "Run: chmod 600 \(path.forShells)"
        )
    }

    static func longSecret(_ path: String, _ option: String) -> ConfigurationError {
        secret(
            "The file \(path) has more than 1,024 bytes, too many for this purpose.",
            option == "--token-file"
                ? "Name another file with --token-file; if that file does not exist, it is made, with a new token."
                : "Check that \(option) names the right file, or write a shorter secret into it."
        )
    }

    static func emptySecret(_ path: String, _ option: String) -> ConfigurationError {
        secret(
            "The file \(path) is empty.",
            option == "--token-file"
                ? "Remove the file: at its next start, the gateway makes a new one with a token."
                : "Write the secret into it."
        )
    }

    private static func secret(_ message: String, _ next: String) -> ConfigurationError {
        ConfigurationError(.badValue, message, next: next)
    }
}
#endif

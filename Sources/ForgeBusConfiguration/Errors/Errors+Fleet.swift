import ForgeBusFleet
import ForgeBusProtocol
import ZeroMQ

// The errors about an inventory.

extension Errors {
    /// A value that the module of sockets does not accept.
    static func badValue(_ error: ZeroMQError) -> ConfigurationError {
        ConfigurationError(.badValue, error.message, next: error.next)
    }

    static var noWorkers: ConfigurationError {
        ConfigurationError(
            .badValue,
            "Expected at least one worker, found none.",
            next: "Name the workers: a fleet without workers would always look well."
        )
    }

    static func tooManyWorkers(limit: Int) -> ConfigurationError {
        ConfigurationError(
            .tooLarge,
            "The inventory has more than \(limit) workers; this one is the first that is too many.",
            next: "Divide the fleet into several inventories."
        )
    }

    /// A worker whose name is in the inventory already; `place` is the file and the line of the other one.
    static func workerTwice(_ name: Name, definedAt place: String) -> ConfigurationError {
        ConfigurationError(
            .duplicate,
            "The worker \"\(name)\" is already defined at \(Printable.escaped(place)).",
            next: "Give each worker a name of its own, or remove one of the two."
        )
    }
}

// MARK: Endpoints

extension Errors {
    static func wildcardWorker(_ endpoint: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "\(endpoint) stands for any address or port, so nothing can connect to it.",
            next: "Name the address and the port where other machines reach the worker."
        )
    }

    static func workerInProcess(_ endpoint: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "\(endpoint) is an endpoint within one process, so nothing outside that process can connect to it.",
            next: "Name a tcp or ipc endpoint at which the worker listens."
        )
    }

    static func relativeEndpoint(_ endpoint: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "The path of \(endpoint) is relative, so it would depend on the directory in which a command is started.",
            next: "Write the whole path: ipc:///run/forgebus/worker.ipc."
        )
    }

    static func endpointTwice(_ endpoint: String, of owner: String, _ other: String) -> ConfigurationError {
        ConfigurationError(
            .duplicate,
            "The workers \(Printable.quoted(other)) and \(Printable.quoted(owner)) have the same endpoint, "
                + "\(endpoint).",
            next: "Correct one of the two, or remove it: one endpoint belongs to one worker."
        )
    }
}

// MARK: Keys

extension Errors {
    static func noWorkerKey(_ endpoint: Endpoint) -> ConfigurationError {
        missingKey(
            "key",
            "\(endpoint) may be on another machine, and without the worker's public key nobody knows who answers there"
        )
    }

    static var keyAndFile: ConfigurationError {
        ConfigurationError(
            .badValue,
            "A worker has `key` or `key_file`, not both.",
            next: "Remove one of the two."
        )
    }

    /// A key that two workers have; the error does not show the text, which may be a secret.
    static func workerKeyTwice(of owner: String, _ other: String) -> ConfigurationError {
        ConfigurationError(
            .duplicate,
            "The workers \(Printable.quoted(other)) and \(Printable.quoted(owner)) have the same key.",
            next: "Give each worker a key pair of its own (`forgebus keygen`): who has the key of a worker can pose as "
                + "that worker."
        )
    }

    /// A key file that cannot be read, or that others may write.
    static func keyFile(_ path: String, _ error: ConfigurationError) -> ConfigurationError {
        ConfigurationError(
            error.code,
            "The key file \(Printable.quoted(path)) cannot be used: \(error.message)",
            next: error.next
        )
    }

    static func secretInKeyFile(_ path: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "The file \(Printable.quoted(path)) holds the worker's secret key, which belongs only on the worker's machine.",
            next:
                "Name the file with the public key, NAME.key, which `forgebus keygen` writes beside NAME.key_secret; and "
                + "remove the secret key from this machine."
        )
    }
}

// MARK: Labels

extension Errors {
    static func notLabel(_ text: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "\(Printable.quoted(text)) cannot be a label or the value of one.",
            next: "Use \(LabelText.rule)."
        )
    }

    static func tooManyLabels(_ count: Int, limit: Int) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "Expected at most \(limit) labels, found \(count).",
            next: "Keep the labels by which you choose workers."
        )
    }
}

// MARK: Commands

extension Errors {
    static func tooManyIncludes(_ count: Int, limit: Int) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "Expected at most \(limit) commands, found \(count).",
            next: "Let one command print the workers of several sources."
        )
    }

    /// The name of what a command has printed, in errors about it.
    static func output(of command: String) -> String { "output of \(Printable.cut(command, to: 200))" }

    /// A command that has failed, or has printed nothing or too much; `line` is the last line of its standard error.
    static func include(
        _ command: String,
        _ ending: CommandResult.Ending,
        lastLine line: String?,
        limit: Int
    ) -> ConfigurationError {
        let command = Printable.quoted(command)
        let said = line.map { ": \($0)" } ?? "."
        return switch ending {
        case .exited(0): failedCommand("\(command) has printed nothing\(said)")
        case .exited(let status): failedCommand("\(command) has failed with exit status \(status)\(said)")
        case .signalled(let number): failedCommand("\(command) was killed by signal \(number)\(said)")
        case .cancelled: failedCommand("\(command) was ended, because the reading was cancelled\(said)")
        case .notStarted(let cause): failedCommand("\(command) could not be started: \(cause)")
        case .overdue(let limit):
            ConfigurationError(
                .failedCommand,
                "\(command) took longer than its `timeout`, \(DurationText.text(of: limit)), and was ended\(said)",
                next:
                    "Write a longer `timeout` for this command, or make it faster; until it succeeds, the fleet is not "
                    + "known."
            )
        case .tooLargeDocument:
            ConfigurationError(
                .tooLarge,
                "\(command) has printed more than \(limit / 1_048_576) MiB, the most that an inventory may have.",
                next: "Let it print only the workers, without other data."
            )
        }
    }

    private static func failedCommand(_ message: String) -> ConfigurationError {
        ConfigurationError(
            .failedCommand,
            message,
            next:
                "Run the command in the directory of the file, and correct it: until it succeeds, the fleet is not known."
        )
    }
}

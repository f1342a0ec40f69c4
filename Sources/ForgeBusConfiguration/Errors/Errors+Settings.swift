import ForgeBusProtocol
import ForgeBusWorker

// The errors about a worker's settings, in the file or outside it.

extension Errors {
    /// A text outside a file that is no value of a setting.
    static func notSetting(_ text: String, _ key: Key) -> ConfigurationError {
        let bounds = key.form.bounds ?? ""
        switch key.form {
        case .time:
            if text.allSatisfy(\.isNumber) { return timeWithoutUnit(text) }
            return DurationText.duration(text) == nil
                ? notTime(text, "a time with its unit from \(bounds)")
                : outOfBounds(text, expected: "a time with its unit from \(bounds)")
        case .size:
            if text.allSatisfy(\.isNumber) { return sizeWithoutUnit(text) }
            return SizeText.size(text) == nil
                ? notSize(text, "a size with its unit from \(bounds)")
                : outOfBounds(text, expected: "a size with its unit from \(bounds)")
        case .integer, .text, .name, .flag, .choice, .list, .mapping, .named, .either, .any:
            return outOfBounds(Printable.quoted(text), expected: "an integer from \(bounds)")
        }
    }

    /// A variable of the environment whose name no setting has any more.
    static func oldVariable(_ name: String, now: String, _ example: String) -> ConfigurationError {
        ConfigurationError(
            .unknownKey,
            "The variable \(name) is not read: a value has its unit now.",
            next: "Set \(now), such as \(now)=\(example), and remove \(name)."
        )
    }

    static func drainOutOfBounds(_ drain: Duration, hours: Int) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "Expected a time from 0 to \(hours) hours, found \(drain).",
            next: "Choose a time within these bounds."
        )
    }

    /// A store with a variable or with ~; a URL is not shown, because it may have a password.
    static func variableInStore(_ text: String, isURL: Bool) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            isURL
                ? "Variables are not replaced here, and this URL contains a $."
                : "Variables and ~ are not replaced here: the path would be \(Printable.quoted(text)).",
            next: "Write the whole \(isURL ? "URL" : "path"), or start the worker with the environment variable "
                + "FORGEBUS_STORE."
        )
    }

    static func emptyStore(expected: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "Expected \(expected), found an empty text.",
            next: "Name a store, or leave the key out."
        )
    }

    static func notPublicURL(_ text: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "Expected an address such as https://bus.example.org, found \(Printable.quoted(text)).",
            next: "Write https:// or http://, a host, and a path if there is one, in ASCII characters. The address "
                + "must not have a query, a fragment, spaces, quotation marks or angle brackets."
        )
    }
}

// MARK: Endpoints

extension Errors {
    /// A publisher that the worker cannot connect to.
    static func publisher(_ error: WorkerError) -> ConfigurationError {
        ConfigurationError(error.code == .openDoor ? .openDoor : .badValue, error.message, next: error.next)
    }

    /// An endpoint that other machines could reach, of a worker without keys.
    static func openEndpoint(_ endpoint: String, hasName: Bool) -> ConfigurationError {
        ConfigurationError(
            .openDoor,
            hasName
                ? "\(endpoint) has a name instead of an IP address. A name can stand for an address that other machines "
                    + "reach, and this worker does not authenticate senders."
                : "\(endpoint) could be reached from other machines, but this worker does not authenticate senders.",
            next: "Listen at an ipc endpoint, or at a loopback address such as tcp://127.0.0.1:7717. Or give the "
                + "worker keys (--access and --certificate of `forgebus worker`)."
        )
    }

    static func noPreviousKey(for endpoint: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "\(endpoint) is an endpoint for the worker's previous key, but this worker has no previous key.",
            next: "Remove the endpoint, or give the worker its previous key: with --previous-certificate of "
                + "`forgebus worker`, or in a Swift program of your own with `KeyFiles.previousCertificate`."
        )
    }
}

// MARK: The store

extension Errors {
    static var replicatedFile: ConfigurationError {
        ConfigurationError(
            .badValue,
            "Only a store in a PostgreSQL database can be `replicated`.",
            next: "Remove `replicated` from the section `worker` of the worker file, or name a database as the "
                + "store, such as postgres://db.example/forgebus."
        )
    }

    static var passwordInURL: ConfigurationError {
        ConfigurationError(
            .badValue,
            "The URL of the store must not contain a password, because a URL easily gets into logs and into "
                + "lists of processes.",
            next: "Put the password into the file ~/.pgpass of the user that runs the worker. Or put it into "
                + "another file of this format, and name that file in the URL: ?passfile=PATH."
        )
    }

    static var unnamedWorker: ConfigurationError {
        ConfigurationError(
            .missingKey,
            "A worker whose store is a database needs a name: all processes with the same name and database "
                + "are one worker, and only one of them works at a time.",
            next: "Give the worker a name: as `worker.name` in the worker file, or with --name of "
                + "`forgebus worker`."
        )
    }

    static func nameNotForDatabase(_ name: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "The name \"\(name)\" is not possible for a worker whose store is a database.",
            next: "Use a name without dots, of at most 32 bytes: the ids of the worker's runs begin with the "
                + "name."
        )
    }

    static func noDirectory(ofStore path: String) -> ConfigurationError {
        ConfigurationError(
            .directory,
            "The directory of the store \(Printable.quoted(path)) cannot be found: it does not exist, or the "
                + "user that runs this program may not enter it.",
            next: "Create the directory, name another store, or run this program as the user that runs the "
                + "worker."
        )
    }

    static func noLease(_ failure: CommandLease.Failure) -> ConfigurationError {
        ConfigurationError(
            .directory,
            "\(failure)",
            next: "Raise the limits of this process for open files (ulimit -n) and for memory (ulimit -v)."
        )
    }
}

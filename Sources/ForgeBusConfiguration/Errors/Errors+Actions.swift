import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator

// The errors about actions, commands and what they require.

extension Errors {
    static func actionTwice(_ id: ActionID) -> ConfigurationError {
        ConfigurationError(
            .duplicate,
            "The id `\(id)` is already used by an earlier action.",
            next: "Give each action of the list an id of its own."
        )
    }

    static func notActionID(_ text: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "Expected an id of 1 to 64 characters from A-Z a-z 0-9 _ -, found \(Printable.quoted(text)).",
            next: "Write 1 to 64 of these characters, without dots or spaces."
        )
    }

    static func gateOutsidePipeline(inStartup isInStartup: Bool) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "Only an action of a pipeline can be a gate.",
            next: isInStartup
                ? "Put the gate into a pipeline: a startup action can only run a command."
                : "Put the gate into a pipeline, and let this action request a run of that pipeline."
        )
    }

    static var requestDuringStartup: ConfigurationError {
        ConfigurationError(
            .badValue,
            "A startup action cannot request a run: no run begins during startup.",
            next: "Request the run from a client, or from an action of a monitor."
        )
    }

    static var postDuringStartup: ConfigurationError {
        ConfigurationError(
            .badValue,
            "A startup action cannot send a POST.",
            next: "Run a program that sends it, such as curl."
        )
    }

    /// An action that has the keys of two kinds of work.
    static func twoKinds(_ other: String, _ kind: String, inPipeline isInPipeline: Bool) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "An action has `\(other)` or `\(kind)`, not both.",
            next: "Write two actions" + (isInPipeline ? ", and let the second require the first." : ".")
        )
    }

    /// An action without work; `others` are the keys that it could have besides `run`.
    static func noWork(or others: String) -> ConfigurationError {
        ConfigurationError(
            .missingKey,
            "The action has none of the keys `run`, \(others).",
            next: "Add one of them, such as `run` with a list of a program and its arguments."
        )
    }

    static func requiredLater(_ id: String) -> ConfigurationError {
        ConfigurationError(
            .badRequirement,
            "The required action \(Printable.quoted(id)) does not run before the action that requires it.",
            next:
                "Let the required action run earlier, or name another one: actions run by priority, then in the order "
                + "of the file."
        )
    }

    static func requiredUnknown(_ id: String, guess: String?) -> ConfigurationError {
        var error = ConfigurationError(
            .badRequirement,
            "The required action \(Printable.quoted(id)) is not an action of this pipeline"
                + (guess.map { "; did you mean `\($0)`?" } ?? "."),
            next: "Write the id of an action of this pipeline that runs earlier."
        )
        error.guess = guess
        return error
    }

    static var monitorMustStay: ConfigurationError {
        ConfigurationError(
            .badValue,
            "A monitor with `machine: true` must stay on its machine, but another machine can take over a worker "
                + "whose store is a database.",
            next: "Move the monitor to another worker, whose store is a file on this machine."
        )
    }

    static var debounceTooShort: ConfigurationError {
        ConfigurationError(
            .badValue,
            "`at_most` is less than `quiet`.",
            next: "Write at least the number of `quiet`."
        )
    }
}

// MARK: Commands

extension Errors {
    /// What to write instead of a value that is not an argument of a command.
    static let argument =
        "Write a text, in quotation marks if it contains `: ` or begins with a brace or a bracket; each argument "
        + "is an entry of its own in the list."

    static var emptyProgram: ConfigurationError {
        ConfigurationError(.badValue, "Expected a program, found an empty text.", next: "Write its name or path.")
    }

    static func placeholderInCommand(_ placeholder: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "Commands have no placeholders: the program would get the text \(Printable.quoted(placeholder)).",
            next: "Let the program read what it needs: in a pipeline, its standard input has the run's values as "
                + "JSON, and the variable FORGE_RUN has the run's id; in a monitor, its standard input has the "
                + "cycle's notifications as JSON."
        )
    }

    static func shellOperator(_ argument: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "Commands run without a shell: the program would get the argument \(Printable.quoted(argument)).",
            next: "Put the whole line into a script, or write [sh, -c, 'LINE']."
        )
    }

    static func notVariable(_ name: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "\(Printable.quoted(name)) is not a valid name of a variable.",
            next: "Choose another name: letters, digits and _, without a digit at the start."
        )
    }

    static func reservedVariable(_ name: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "\(Printable.quoted(name)) is reserved for the worker, like all names that begin with FORGE_.",
            next: "Choose a name that begins differently."
        )
    }
}

// MARK: Programs

extension Errors {
    static func closedPath(ofProgram path: String) -> ConfigurationError {
        ConfigurationError(
            .missingProgram,
            "A directory of the path \(Printable.quoted(path)) cannot be entered.",
            next: "Let the user that runs this program enter each directory of the path."
        )
    }

    static func noProgram(atPath path: String) -> ConfigurationError {
        ConfigurationError(
            .missingProgram,
            "There is no program \(Printable.quoted(path)).",
            next: path.contains(" ")
                ? "\(argumentsInProgram); otherwise correct the path, or create the program."
                : "Correct the path, or create the program."
        )
    }

    static func notExecutable(_ path: String) -> ConfigurationError {
        ConfigurationError(
            .missingProgram,
            "The file \(Printable.quoted(path)) cannot be executed.",
            next: "Make it executable: chmod +x."
        )
    }

    /// A program that is in none of the directories of `path`, the variable PATH.
    static func noProgram(named name: String, in path: String) -> ConfigurationError {
        let value = path.isEmpty ? "empty" : path
        return ConfigurationError(
            .missingProgram,
            "There is no program \(Printable.quoted(name)) in PATH.",
            next: name.contains(" ")
                ? "\(argumentsInProgram); otherwise install the program, or correct PATH, which is \(value)."
                : "Install it, write ./\(name) for a program beside the worker file, or correct PATH, which is "
                    + "\(value)."
        )
    }

    /// The advice for a program whose text has a space.
    private static let argumentsInProgram =
        "If this text has arguments, write each of them as an entry of its own, such as [make, all]"
}

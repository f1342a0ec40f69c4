import ForgeBusProtocol
import ForgeBusWorker

// The errors about gates and seeds.

extension Errors {
    /// A gate that is written as a text, as files were before a gate was a mapping.
    static func gateIsText(_ text: String) -> ConfigurationError {
        ConfigurationError(
            .wrongType,
            text.isEmpty
                ? "A gate is a mapping; found nothing."
                : "A gate is a mapping; found the text \(Printable.quoted(text)).",
            next: text.isEmpty
                ? "Write gate: {} for a gate without further keys."
                : "Write gate: {signal: \(Printable.quoted(text))} if services complete it by this id, or gate: {} for a gate "
                    + "of its own in each run. `message`, `deadline` and the others belong into the mapping."
        )
    }

    /// A title or key that names a value which exists only later.
    static func valueInTitle(_ name: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "This text is made when the run is accepted, and `{value.\(name)}` does not exist then.",
            next: "Name seeds, such as {seed.environment}."
        )
    }

    /// An exclusive key that is the same in each run, and looks as if it should not be.
    static func constantKey(_ text: String, seed: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "\(Printable.quoted(text)) is the same key in each run, whatever the seed `\(seed)` is.",
            next: "Write \"{seed.\(seed)}\" for the value of the seed."
        )
    }

    /// An exclusive key that is another one in each run.
    static let runInKey = ConfigurationError(
        .badValue,
        "With `{run.id}`, each run has another key, and all of them execute beside each other.",
        next: "Name seeds that several runs have in common, such as {seed.environment}."
    )

    /// A key of a gate beside the key `gate`.
    static func keyOfGate(_ key: String) -> ConfigurationError {
        ConfigurationError(
            .unknownKey,
            "`\(key)` belongs to the gate, and not to the action.",
            next: "Write it into the mapping: gate: {\(key): …}."
        )
    }

    static func ownSignalTooLong(_ pipeline: Name) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "The names of the pipeline and of this action are too long for the signal of the gate, "
                + "\(pipeline).ACTION.RUN, which may have \(Name.maximumSizeInBytes) bytes.",
            next: "Choose shorter names, or give the gate a `signal`."
        )
    }

    static func signalOfOtherGate(_ signal: String, _ pattern: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "The signal \(Printable.quoted(signal)) could be that of another gate of this file, which waits for \(pattern).",
            next: "Choose a signal that does not begin with the name of a pipeline and of its gate."
        )
    }

    /// A key that only a worker with keys can heed.
    static func needsKeys(_ key: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "`\(key)` distinguishes the principals that decide, but without keys the worker cannot tell senders "
                + "apart.",
            next: "Give the worker keys (--access and --certificate of `forgebus worker`), or remove `\(key)`."
        )
    }

    /// A text that is not the id of a gate: because of a character that no id has, or because of `flaw`.
    static func notGateID(_ text: String, character: String?, flaw: String) -> ConfigurationError {
        let cause = character.map {
            "\(Printable.quoted(text)) cannot be the id of a gate, because it contains \(Printable.quoted($0))."
        }
        return ConfigurationError(
            .badValue,
            cause ?? flaw,
            next: "Use only A-Z a-z 0-9 _ -, dots between the parts, and the placeholders {run.id} and {seed.NAME}."
        )
    }

    static func signalTwice(_ template: String) -> ConfigurationError {
        ConfigurationError(
            .duplicate,
            "An earlier gate already has the signal id \"\(template)\", and each gate needs one of its "
                + "own.",
            next: "Write another id here."
        )
    }

    static func distinctFromUnrequired(_ gate: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "This gate does not require `\(gate)`, so this gate could be decided before `\(gate)` is.",
            next: "Add `\(gate)` to this gate's `requires`, so that it is decided first, or remove it from "
                + "`distinct_from`."
        )
    }

    static func distinctFromUnknown(_ gate: String, guess: String?) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "The pipeline has no other gate \(Printable.quoted(gate)).",
            guess: guess,
            next: "Name a gate that this gate requires, directly or through other actions."
        )
    }

    static var escalationOfAnybody: ConfigurationError {
        ConfigurationError(
            .badValue,
            "The gate itself has no `allowed`, so everybody with the right to complete it may decide it from the start.",
            next: "Add `allowed` to the gate, beside `escalate`; or remove `escalate`."
        )
    }

    static func reservedDecider(_ name: String, _ owner: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "`\(name)` is reserved \(owner).",
            next: "Use the names of principals in the access file."
        )
    }

    // MARK: Warnings

    static func unknownPrincipal(_ principal: String, in pipeline: Name) -> String {
        """
        Gates of the pipeline "\(pipeline)" allow the principal "\(principal)", which is not in the access file: add \
        this principal to that file, or correct or remove the name in `allowed`.
        """
    }

    static func unknownGroup(_ group: String, in pipeline: Name) -> String {
        """
        Gates of the pipeline "\(pipeline)" allow the group "\(group)", which is not in the access file: \
        define the group there, under `groups`, or correct or remove the name in `allowed`.
        """
    }
}

// MARK: Seeds

extension Errors {
    /// A seed that the pipeline does not declare; `types` says which types the seed can have, if not all.
    static func unknownSeed(_ name: String, as types: String = "", guess: String?) -> ConfigurationError {
        ConfigurationError(
            .unknownSeed,
            "The pipeline has no seed \(Printable.quoted(name)).",
            guess: guess,
            next: guess == nil
                ? "Declare it below `seeds`\(types)."
                : "Otherwise declare \(Printable.quoted(name)) below `seeds`\(types)."
        )
    }

    static func secretSeedInGate(_ name: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "The seed `\(name)` is secret, and everybody who reads this text would see the secret.",
            next: "Use another seed."
        )
    }

    static func typeOfSeedInGateID(_ seed: Seed) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "The seed `\(seed.key)` is of type \(seed.type.rawValue), which cannot be part of a gate's id.",
            next: "Declare it as string or integer."
        )
    }

    static func defaultNotInGateID(_ value: String, of seed: Seed) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "The default \(Printable.quoted(value)) of the seed `\(seed.key)` cannot be part of the gate's id.",
            next: "Make the seed required, or give it a default of 1 to 64 characters from A-Z a-z 0-9 _ - and the "
                + "dot, without a dot at the start or the end, and without two dots in a row."
        )
    }

    static var secretSeedOfOtherType: ConfigurationError {
        ConfigurationError(
            .badValue,
            "Only a seed of type string can be secret.",
            next: "Write `type: string`, or remove `secret`."
        )
    }

    static var defaultOfSecretSeed: ConfigurationError {
        ConfigurationError(
            .badValue,
            "A secret seed cannot have a default.",
            next: "Remove `default`, and give the secret with each request. Or remove the seed, and let the action's "
                + "command read the secret from a file."
        )
    }

    static var defaultOfRequiredSeed: ConfigurationError {
        ConfigurationError(
            .badValue,
            "A required seed cannot have a default.",
            next: "Remove `required` or `default`."
        )
    }
}

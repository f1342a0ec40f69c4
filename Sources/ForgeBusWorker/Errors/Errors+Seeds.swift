import ForgeBusProtocol

// The seeds of a request, and what is made from them.
extension Errors {
    /// The error for a seed that the request and the pipeline do not give.
    static func seedMissing(_ key: String, type: String) -> BusError {
        BusError(
            .badSeed,
            "The seed `\(key)` is missing; a value of type \(type) is expected.",
            next: "Send the request again with the seed `\(key)`."
        )
    }

    /// The error for a secret seed that is too short to be hidden.
    static func secretTooShort(_ key: String, least: Int, found: Int) -> BusError {
        BusError(
            .badSeed,
            "The secret seed `\(key)` must have at least \(least) characters; found \(found).",
            next: "Send a value of at least \(least) characters; the worker cannot hide shorter ones "
                + "in messages and outputs."
        )
    }

    /// The error for a seed of another type than its declaration.
    ///
    /// - Parameters:
    ///   - key: The seed's key.
    ///   - type: The declared type.
    ///   - found: The type of the value.
    /// - Returns: The error.
    static func seedOfWrongType(_ key: String, type: String, found: String) -> BusError {
        let form = type == "string" ? " With `forgebus run`, write `\(key)=TEXT`." : ""
        return BusError(
            .badSeed,
            "The seed `\(key)` must be of type \(type); found \(found).",
            next: "Send the request again with a value of type \(type).\(form)",
            details: ["seed": .string(key), "expected": .string(type)]
        )
    }

    /// The error for a seed that the pipeline does not declare; `declared` has each key with its type.
    static func unknownSeed(_ key: String, declared: [(key: String, type: String)]) -> BusError {
        let guess = Spelling.guess(key, among: declared.map(\.key)).map { " Did you mean `\($0)`?" } ?? ""
        let list = declared.map { "`\($0.key)`: \($0.type)" }.joined(separator: ", ")
        return BusError(
            .badSeed,
            "The pipeline has no seed \(Printable.quoted(key)).\(guess)",
            next: declared.isEmpty ? "Send no seeds." : "Send only the declared seeds: \(list)."
        )
    }

    /// The error for a seed that cannot be part of a signal's id; `found` describes it without its value.
    static func seedNotInSignal(_ name: String, of template: String, found: String) -> BusError {
        BusError(
            .badSeed,
            "The seed `\(name)` cannot be part of the signal's id \(template): the seed is \(found).",
            next:
                "Send a whole number, or a text of at most 64 characters: only letters, digits, _ and -, and single "
                + "dots between them."
        )
    }

    /// The error for seeds that make no valid id for a signal, for this reason.
    static func noSignal(_ template: String, because reason: String) -> BusError {
        BusError(
            .badSeed,
            "These seeds give no valid id for the signal \(template): \(reason)",
            next: "Send shorter seeds: each part of the id, with the fixed text around the seeds, may have at "
                + "most 64 characters, and the whole id 256 bytes."
        )
    }

    /// The error for seeds with which two gates of the run would have the same id.
    static func sameSignal(_ signal: Name) -> BusError {
        BusError(
            .badSeed,
            "With these seeds, two gates of the run would have the same id: \(signal).",
            next:
                "Send other seeds, with which the two ids differ. If the ids are the same with all seeds, ask the "
                + "worker's operator to correct the definition of the pipeline."
        )
    }

    /// The error for a placeholder that a signal's id does not have.
    static func unknownPlaceInSignal(_ place: String) -> BusError {
        BusError(
            .badName,
            "\(Printable.quoted("{\(place)}")) is not a placeholder of a signal's id.",
            next: "Use {run.id} or {seed.NAME}."
        )
    }

    /// The error for a message of a gate that is empty or too long.
    static func badMessage(most: Int, found: Int) -> BusError {
        BusError(
            .badName,
            "The text must have 1 to \(most) bytes; found \(found).",
            next: found == 0
                ? "Write a text."
                : "Write a shorter text, for instance with the address of a page that has the details."
        )
    }

    /// The error for a placeholder of a gate's message that is unknown, or that no brace closes.
    ///
    /// - Parameters:
    ///   - place: The text between the braces; nil if no brace closes the placeholder.
    ///   - rest: The text behind the opening brace.
    /// - Returns: The error.
    static func badPlaceInMessage(_ place: Substring?, _ rest: Substring) -> BusError {
        let cause =
            if let place {
                "\(Printable.quoted("{\(place)}", atMost: 80)) is not a placeholder of this text."
            } else {
                "No } closes the placeholder that begins at \(Printable.quoted("{" + rest, atMost: 80))."
            }
        return BusError(
            .badName,
            cause,
            next:
                "The placeholders are {run.id}, {seed.NAME} and {value.NAME}. For a { that begins no placeholder, write "
                + "{{; a } outside a placeholder stays as it is."
        )
    }
}

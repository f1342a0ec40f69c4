/// The words of this module's errors.
enum Errors {}

// Frames.
extension Errors {
    /// A message does not belong to this protocol; `cause` is a sentence.
    static func notForge(_ cause: String) -> BusError {
        BusError(
            .notForge,
            "This is not a message of the bus. \(cause)",
            next: "Send five frames from a DEALER socket: first the version and the command (such as FORGE/1 PING), "
                + "then id, subject, attributes and body."
        )
    }

    /// A frame that must begin with `FORGE/` does not; `place` is `first` or `second`.
    static func unsigned(_ place: String, _ frame: ArraySlice<UInt8>) -> String {
        let text = Printable.quoted(String(decoding: frame.prefix(80), as: UTF8.self))
        return "Its \(place) frame, \(text), does not begin with FORGE/."
    }

    static func unsupportedVersion(_ version: ArraySlice<UInt8>) -> BusError {
        BusError(
            .unsupportedVersion,
            "Protocol version \(quoted(version)) is not supported.",
            next: "Use version 1: FORGE/1."
        )
    }

    static func unknownCommand(_ frame: ArraySlice<UInt8>) -> BusError {
        BusError(
            .unknownCommand,
            "\(quoted(frame)) is not a command that this version of ForgeBus knows.",
            next: "Send FORGE/1, a space and one of \(Request.Command.words.joined(separator: ", ")). For a command of "
                + "a newer version, update the worker."
        )
    }

    static func badAnswer(_ cause: String) -> BusError {
        BusError(
            .badAnswer,
            "An answer of the worker was not understood: \(cause).",
            next: "Use the same version of ForgeBus for the worker and for the program that is connected to it."
        )
    }

    static func tooLarge(
        _ cause: String,
        limit: Int,
        next: String = "Send less data, or a reference to the data."
    ) -> BusError {
        BusError(.tooLarge, "\(cause); at most \(limit) are allowed.", next: next)
    }

    private static func quoted(_ frame: ArraySlice<UInt8>) -> String {
        Printable.quoted(String(decoding: frame, as: UTF8.self))
    }
}

// Names and subjects.
extension Errors {
    static func noName(_ text: String, _ flaw: String) -> BusError {
        BusError(
            .badName,
            "\(Printable.quoted(text)) is not a name: \(flaw).",
            next: "Use parts of 1 to 64 characters from A-Z a-z 0-9 _ -, joined by dots, at most 256 bytes in total."
        )
    }

    static func noPattern(_ text: String, _ flaw: String) -> BusError {
        BusError(
            .badPattern,
            "\(Printable.quoted(text)) is not a pattern: \(flaw).",
            next: "Use parts of 1 to \(Name.maximumTokenSizeInBytes) characters from A-Z a-z 0-9 _ -, joined by dots. "
                + "In place of a part, you can write `*`, which matches any one part; in place of the last part, also "
                + "`>`, which matches one or more parts."
        )
    }

    static func longPattern(_ text: String) -> BusError {
        var error = noPattern(
            text,
            "it has \(text.utf8.count) bytes, and at most \(Name.maximumSizeInBytes) are allowed"
        )
        error.next =
            "Make the pattern shorter: write `*` in place of a long part, or `>` in place of several parts at the end."
        return error
    }

    static func noRequestID(_ text: String) -> BusError {
        BusError(
            .badID,
            "\(Printable.quoted(text)) is not a request id: an id has 1 to 128 characters of printable ASCII, without "
                + "spaces.",
            next: "Use, for instance, a UUID, and keep the id for every resend. On the command line, the id is the "
                + "option `--id`; over HTTP, it is the header `Idempotency-Key`."
        )
    }

    static func noEventSubject(_ text: String, _ flaw: String) -> BusError {
        BusError(
            .badName,
            "\(Printable.quoted(text)) is not the subject of an event: \(flaw).",
            next: "Use parts of A-Z a-z 0-9 _ -, joined by dots, at most \(EventSubject.maximumSizeInBytes) bytes."
        )
    }

    /// A subject has a kind, but no name after it.
    static func noName(of kind: String) -> BusError {
        BusError(
            .badName,
            "The subject has the kind \"\(kind)\", but no name after it.",
            next: "Send the kind, a slash and a name: \(kind)/NAME."
        )
    }

    /// A kind is not one of `kinds`; the next move is the text `next`, followed by all kinds.
    static func unknownKind<Kind: RawRepresentable>(
        _ word: String,
        next: String,
        _ kinds: [Kind]
    ) -> BusError where Kind.RawValue == String {
        let known = kinds.map(\.rawValue).joined(separator: ", ")
        let hasSignals = kinds.contains { $0.rawValue.hasPrefix("signal") }
        let hint = hasSignals && ["gate", "gates"].contains(word) ? " Gates are among the signals." : ""
        return BusError(
            .unknownKind,
            "\(Printable.quoted(word)) is not a kind of item that this request accepts.\(hint)",
            next: "\(next) \(known)."
        )
    }
}

// Attributes.
extension Errors {
    /// An attribute is wrong; `message` is a sentence.
    ///
    /// Without a `next`, that is to send one of the attributes `taken`, or another value.
    static func badAttribute(_ message: String, taken: [String]? = nil, next: String? = nil) -> BusError {
        let list = taken.map { ($0 + AttributeReader.common).map { "`\($0)`" }.joined(separator: ", ") }
        return BusError(
            .badAttribute,
            message,
            next: next ?? list.map { "Send only attributes that the command accepts: \($0)." }
                ?? "Send a value that is allowed, or leave the attribute out if it is optional."
        )
    }

    /// An attribute belongs to other commands; `isOfMany` if it belongs to the same command for many runs.
    static func misplacedAttribute(_ key: String, of command: String, isOfMany: Bool, taken: [String]) -> BusError {
        badAttribute("\(command)\(isOfMany ? " of one run" : "") takes no attribute `\(key)`.", taken: taken)
    }

    static func misspeltAttribute(_ key: String, _ known: String, taken: [String]) -> BusError {
        badAttribute("The attribute \(Printable.quoted(key)) looks like a misspelling of `\(known)`.", taken: taken)
    }

    static func missingAttribute(_ key: String) -> BusError {
        BusError(.badAttribute, "The attribute `\(key)` is missing.", next: "Add `\(key)`: it has no default.")
    }

    static func longAttribute(_ key: String, called name: String, _ text: String, atMost maximum: Int) -> BusError {
        BusError(
            .badAttribute,
            "\(name) has \(text.utf8.count) bytes, and at most \(maximum) are allowed: \(Printable.quoted(text)).",
            next: key == "id"
                ? "Send the beginning of one id. For several ids, send a request for each of them."
                : key == "cursor"
                    ? "Send the cursor of the previous page unchanged, or none for the first page."
                    : "Send a shorter value."
        )
    }

    /// The frame of the attributes holds no object; `message` is a sentence.
    static func noAttributes(_ message: String, next: String? = nil) -> BusError {
        BusError(
            .badAttribute,
            message,
            next: next
                ?? "Send one JSON object as the frame of the attributes, or leave this frame empty if you need none."
        )
    }

    static func tooManyAttributes(sizeInBytes: Int) -> BusError {
        tooLarge(
            "The attributes of the request (on the command line: its options; over HTTP: its query parameters) have "
                + "\(sizeInBytes) bytes",
            limit: WireLimits.attributesSizeInBytes,
            next: "Send fewer or shorter values; to name many items, send a request for each of them."
        )
    }

    static func unneededAction(_ kind: ItemKind) -> BusError {
        BusError(
            .badAttribute,
            "SHOW of the kind `\(kind.rawValue)` takes no attribute `action`.",
            next: "Leave it out. Only SHOW of the kind `output`, which reads what the actions of a run printed, takes "
                + "this attribute."
        )
    }

    static func unneeded(_ attribute: String, of kind: ListKind) -> BusError {
        BusError(
            .badAttribute,
            "LIST of `\(kind.rawValue)` takes no attribute `\(attribute)`.",
            next: "Leave it out."
        )
    }

    /// The next move where the number of runs that must match is wrong.
    static func expectation(atMost most: Int) -> String {
        "Send the number of runs that must match. To change more than \(most) runs, send several requests, each with a "
            + "narrower filter."
    }

    static func noFilter(_ word: String) -> BusError {
        let names = RunFilter.attributes.map { "`\($0)`" }.joined(separator: ", ")
        return BusError(
            .badAttribute,
            "\(word) of many runs needs a filter.",
            next: "Add one or more of \(names); in Swift, set at least one property of the RunFilter."
        )
    }

    static let endlessPauseOfMonitor = BusError(
        .badAttribute,
        "A pause of a monitor needs the attribute `ttl_ms`, because such a pause must end by itself.",
        next:
            "Add the attribute `ttl_ms` (over HTTP, as a query parameter): how many milliseconds the pause lasts, from "
            + "1 to \(WireLimits.timeToLive.milliseconds) (7 days). You can resume the monitor earlier."
    )
}

// Bodies.
extension Errors {
    static func noJSON(_ name: String, _ flaw: JSONParser.Flaw, shown: String) -> BusError {
        BusError(
            .badBody,
            "\(name) is not acceptable JSON: \(flaw.message), at byte \(flaw.offset)\(shown).",
            next: flaw.next ?? "Correct the text there: it must be one JSON value in UTF-8."
        )
    }

    static func noObject(in word: String, _ value: JSONValue, content: String) -> BusError {
        BusError(
            .badBody,
            "The body of \(word) is not a JSON object; found \(value.typeName).",
            next: "Send one JSON object with \(content)."
        )
    }

    static func longReason(of word: String, sizeInBytes: Int, limit: Int) -> BusError {
        tooLarge(
            "The reason of \(word) has \(sizeInBytes) bytes as a JSON string",
            limit: limit,
            next: "Send a shorter reason."
        )
    }

    static func noReason(of word: String, _ value: JSONValue) -> BusError {
        BusError(
            .badBody,
            "The reason of \(word) is not a JSON string; found \(value.typeName).",
            next: "Send the reason as a JSON string, in double quotes; or send no reason."
        )
    }

    static func badScreen(_ given: JSONValue?) -> BusError {
        BusError(
            .badBody,
            "In the body of MODE, `screen` must be null or a string of 1 to 256 bytes; found "
                + "\(given.map { Printable.cut($0.description, to: 80) } ?? "no `screen`").",
            next: "Send {\"screen\":\"NAME\"}, or {\"screen\":null} if no screen is showing."
        )
    }
}

// Published messages.
extension Errors {
    /// A published message does not belong to this protocol; `cause` is a sentence.
    static func notPublication(_ cause: String) -> BusError {
        BusError(
            .notForge,
            "This is not a published message of the bus. \(cause)",
            next: "Publish six frames: the topic and a dot, \(CommandFrame.versionPrefix + Publication.word), id, "
                + "origin, attributes, body."
        )
    }

    static func notPublished(_ command: ArraySlice<UInt8>) -> BusError {
        BusError(
            .unknownCommand,
            "\(quoted(command)) cannot be published; only \(CommandFrame.versionPrefix + Publication.word) can.",
            next: "Publish \(CommandFrame.versionPrefix + Publication.word), and send everything else from a DEALER "
                + "socket."
        )
    }

    static func noDot(_ frame: ArraySlice<UInt8>) -> BusError {
        BusError(
            .badName,
            "Frame 0 of a published message is the topic and then a dot; \(quoted(frame)) has no dot at its end.",
            next: "Add the dot at the end of frame 0."
        )
    }

    static func badOrigin(sizeInBytes: Int) -> BusError {
        let found = sizeInBytes == 16 ? "sequence number 0" : "\(sizeInBytes) bytes"
        return BusError(
            .badOrigin,
            "The frame with the origin of a published message must be empty, or have 16 bytes: 8 bytes that the "
                + "publisher chooses anew at each start (the epoch), then 8 bytes with the message's sequence number, "
                + "which begins at 1. This frame has \(found).",
            next: "Let the publisher send such an origin, with sequence numbers from 1 on, or an empty frame; with an "
                + "empty frame, the worker does not notice lost messages."
        )
    }
}

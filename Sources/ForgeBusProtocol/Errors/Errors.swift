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

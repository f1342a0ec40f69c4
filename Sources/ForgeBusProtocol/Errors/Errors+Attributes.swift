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

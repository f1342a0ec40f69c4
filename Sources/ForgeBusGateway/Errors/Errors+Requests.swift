import ForgeBusProtocol

/// The refusals of requests that cannot be read, and of requests that got no answer.
extension Errors {
    static let unexpectedAnswer = BusError(
        .badAnswer,
        "The gateway does not understand the worker's answer; perhaps the gateway and the worker have different "
            + "versions.",
        next:
            "Use the same version of ForgeBus for the gateway and the worker. If the request makes a change, send the "
            + "request again only if you find that the worker has not made this change."
    )

    static func gaveUp(_ id: RequestID) -> BusError {
        BusError(
            .timeout,
            "The gateway stopped waiting before an answer came: the outcome of the request \(id) is unknown.",
            next: "Send the request again; if it makes a change, send it with the header "
                + "`Idempotency-Key: \(id)`. With this header, a run or a decision is carried out only once; a "
                + "notification may cause one more cycle."
        )
    }

    /// The id is in use on every connection to the worker.
    static func sharedID(_ id: RequestID) -> BusError {
        BusError(
            .idConflict,
            "Many other users of this gateway have used the id \(Printable.quoted(id.text)).",
            next: "Send the request with another id in the header Idempotency-Key, such as a UUID."
        )
    }

    /// The token's scope does not have the right for a command.
    static func outOfScope(_ right: Right, _ scope: Set<Right>) -> BusError {
        let options = scope.union([right]).map(\.rawValue).sorted().map { "--scope \($0)" }.joined(separator: " ")
        return BusError(
            .forbidden,
            "The scope of the token does not have the right `\(right.rawValue)`.",
            next: "Use a token whose scope has this right, too. For a new one, ask the worker's operator, who makes it "
                + "with `forgebus token NAME \(options)`, adds the printed lines to the access file, and sends SIGHUP "
                + "to the gateway.",
            details: ["scope": .array(scope.map(\.rawValue).sorted().map { .string($0) })]
        )
    }

    // MARK: Query

    static func repeatedParameter(_ name: String) -> BusError {
        BusError(
            .badAttribute,
            "The query has the parameter `\(name)` twice.",
            next: "Give each parameter once; for several values, send several requests."
        )
    }

    /// The route does not have this query parameter.
    static func unknownParameter(_ name: String, of route: Route) -> BusError {
        let query = route.parameters
        let guess = Spelling.guess(name, among: query).map { " Did you mean `\($0)`?" } ?? ""
        return BusError(
            .badAttribute,
            "The path has no query parameter \(Printable.quoted(name)).\(guess)",
            next: (query.isEmpty
                ? "The path has no query parameters: leave the query out."
                : query.count == 1
                    ? "The only query parameter of this path is `\(query[0])`."
                    : "The query parameters of this path are \(query.map { "`\($0)`" }.joined(separator: ", ")).")
                + (route.waits && name.hasPrefix("wait")
                    ? " To wait, send the header `Prefer: wait=N`, with N seconds." : "")
        )
    }

    // MARK: Bodies

    static func largeBody(_ size: String, _ limit: Int) -> BusError {
        BusError(
            .tooLarge,
            "The body has \(size) bytes; at most \(limit) are allowed.",
            next: "Send less data, or a reference to the data."
        )
    }

    /// The error of a body that ends too early; only a log shows it, because the sender has left.
    static let cutBody = BusError(
        .slowBody,
        "The connection was closed before the whole body of the request had arrived.",
        next:
            "Let the sender send the request again; the worker did not get it. If this happens often, check the "
            + "network and the proxies between the sender and the gateway."
    )

    static let slowBody = BusError(
        .slowBody,
        "The body of the request did not arrive within the gateway's time limit, 60 seconds by default.",
        next: "Send the request again, over a faster connection or with a smaller body; the worker did not get it."
    )

    static let malformedBody = BusError(
        .badBody,
        "The body of the request is not valid HTTP: a chunk of `Transfer-Encoding: chunked` is malformed.",
        next: "Correct the program that sends the chunks, or send the body with the header Content-Length."
    )

    static let unfinishedBody = BusError(
        .draining,
        "The gateway is stopping, and the body of the request has not arrived completely.",
        next: "Send the request again when the gateway runs again; the worker did not get it."
    )

    static func notAnObject(_ value: JSONValue, member: String, of route: Route) -> BusError {
        BusError(
            .badBody,
            "The body is not a JSON object; found \(value.typeName).",
            next: form(of: route, member)
        )
    }

    static func unknownMember(_ key: String, besides member: String, of route: Route) -> BusError {
        BusError(
            .badBody,
            "The body has the unknown member \(Printable.quoted(key)).",
            next: form(of: route, member)
        )
    }

    /// The next move after a wrong body: the form of the right one, whose only member is `name`.
    private static func form(of route: Route, _ name: String) -> String {
        let form = "Send {\"\(name)\": …}, or no body."
        guard route.answer == .verdict, name == "value" else { return form }
        return form + " The reason of an approval is a part of the value: {\"value\": {\"because\": \"…\"}}."
    }

    /// `why` begins with “it” or “its”.
    static func malformedEvent(_ why: String) -> BusError {
        BusError(
            .badBody,
            "The body is not a CloudEvent: \(why).",
            next:
                "Send a JSON object with `specversion` \"1.0\", `id`, `source`, `type`, and `data` or `data_base64`; or send "
                + "only the data, with its own Content-Type."
        )
    }

    /// A header of an event in binary mode is wrong; `why` is `is missing, empty or repeated`, or says what it is.
    static func malformedEvent(header: String, _ why: String) -> BusError {
        BusError(
            .badBody,
            "The request has headers of a CloudEvent, but its header `\(header)` \(why).",
            next:
                "Send the headers `ce-specversion: 1.0`, `ce-id`, `ce-source` and `ce-type`, each once and not empty; or "
                + "send only the data, without a header that begins with `ce-`."
        )
    }

    static func unsupportedType(_ type: String?, expected: String, _ form: String = "a body") -> BusError {
        BusError(
            .unsupportedType,
            type.map { "The body has the type \(Printable.quoted($0)), which this path does not read." }
                ?? "The request does not name the type of its body.",
            next: "Send \(form) of the type \(expected), with the header `Content-Type: \(expected)`."
        )
    }

    // MARK: Forms

    static let unreadableForm = BusError(
        .badBody,
        "The posted form cannot be read: it has a % without two hexadecimal digits after it, or bytes that "
            + "are not text in UTF-8.",
        next: "Load the page again, and send the form from there; a program must write % as %25, and send text "
            + "in UTF-8."
    )

    static let noRunChosen = BusError(
        .badBody,
        "No run is chosen.",
        next: "Tick the box in front of each run that you mean."
    )

    /// The form does not have the `field` that its button sends, or has another value than the `values`.
    static func unknownButton(_ field: String, _ values: String) -> BusError {
        BusError(
            .badBody,
            "The form does not say which button of the page was pressed.",
            next: "Load the page again, and press one of its buttons; a program must send the field `\(field)` with "
                + "the value \(values)."
        )
    }

    /// `refused` of `chosen` runs were not changed; the first of them is `run`, because of `error`.
    static func changedInPart(_ refused: Int, of chosen: Int, _ run: String, _ error: BusError) -> BusError {
        let others = refused > 1 ? " and \(refused - 1) more" : ""
        let message =
            "The worker has confirmed the change of \(chosen - refused) of the \(chosen) chosen runs, but not of "
            + "\(run)\(others). \(error.message)"
        return BusError(error.code, message, next: error.next)
    }
}

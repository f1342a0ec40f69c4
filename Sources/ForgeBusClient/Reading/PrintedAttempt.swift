public import ForgeBusProtocol

/// The output that one attempt at an action of a run printed.
public struct PrintedAttempt: Hashable, Sendable {
    /// The id of the action.
    public let action: String
    /// The number of the attempt, from 1.
    public let attempt: Int
    /// When the attempt ended, in milliseconds since 1970, by the worker's clock.
    public let unixMilliseconds: Int64
    /// Why the attempt failed; nil if it did not fail.
    public let reason: String?
    /// The end of the standard output: at most its last 64 KiB.
    public let output: PrintedText
    /// The end of the standard error: at most its last 64 KiB.
    public let errors: PrintedText

    /// Reads an attempt that the worker sent.
    ///
    /// - Throws: `BusError` with code `bad_answer` if a required member is missing.
    package init(_ json: JSONObject) throws(BusError) {
        action = try json.text("action")
        attempt = Int(json["attempt"]?.integer ?? 1)
        unixMilliseconds = json["at_ms"]?.integer ?? 0
        reason = json["reason"]?.string
        output = Self.printed(json, "output")
        errors = Self.printed(json, "errors")
    }

    private static func printed(_ json: JSONObject, _ key: String) -> PrintedText {
        PrintedText(json[key]?.string ?? "", omittedBytes: Int(json["\(key)_omitted"]?.integer ?? 0))
    }
}

extension BusClient {
    /// Requests the output that the actions of a run printed: the end of the output of each attempt, oldest first.
    ///
    /// The worker's store keeps the outputs with the run. If all outputs together exceed the store's limit, the store
    /// drops the oldest outputs. If the requested outputs do not fit into one message, the worker sends only the latest
    /// ones; to request fewer outputs, pass an `action`.
    ///
    /// - Parameters:
    ///   - run: The run's id.
    ///   - action: The action whose output is requested; nil for all actions.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    /// - Returns: The attempts that printed something.
    /// - Throws: `BusError` with code `unknown_run` if the worker keeps no such run, `bad_name` if `run` is not a valid
    ///   name, `forbidden` if the client may not read the run, `store_failed` if the worker cannot read its store,
    ///   `busy` if the worker reads too many histories and outputs already, `timeout` if no answer came in time, or
    ///   `unreachable` if the request could not be sent.
    public func output(
        of run: RunID,
        action: String? = nil,
        patience: Duration? = nil
    ) async throws(BusError) -> [PrintedAttempt] {
        let item = try await printed(by: run.text, action: action, patience: patience)
        var attempts: [PrintedAttempt] = []
        for entry in item["entries"]?.array ?? [] { attempts.append(try PrintedAttempt(entry.object ?? [:])) }
        return attempts
    }

    /// Requests the output that the actions of a run printed, and returns the JSON of the answer.
    package func printed(
        by run: String,
        action: String? = nil,
        patience: Duration? = nil
    ) async throws(BusError) -> JSONObject {
        let request = ShowRequest(.output, try Name(run), action: action)
        let answer = try await ask(.show(request), patience: patience)
        guard case .shown(let item) = answer else { throw Errors.unexpected("SHOWN", answer) }
        return item
    }
}

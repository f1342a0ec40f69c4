import ForgeBusProtocol

extension ActionOutcome {
    /// One line for people.
    var line: String {
        let reason = if case .failed(let reason) = result { "  " + reason } else { "" }
        return "  \(action.padded(to: 20))\(result.word.padded(to: 11))\(duration.readable)\(reason)"
    }

    /// The same for programs.
    var json: JSONObject {
        var object: JSONObject = ["action": .string(action), "result": .string(result.word)]
        if case .failed(let reason) = result { object["reason"] = .string(reason) }
        object["duration_us"] = .integer(duration.microseconds)
        return object
    }
}

extension RunResult {
    /// How it ended, in one line for people.
    var headline: String { "\(state.rawValue.padded(to: 11))\(run)\(reason.isEmpty ? "" : "  \(reason)")" }

    /// What it brought, in one line for people; nil where it is nothing.
    var outputsLine: String? { outputs.isEmpty ? nil : "outputs    \(JSONValue.object(outputs))" }

    /// What had not returned when it ended, in one line for people; nil where it is nothing.
    var abandonedLine: String? { abandoned.isEmpty ? nil : "abandoned  \(abandoned.joined(separator: ", "))" }

    /// All of it for programs.
    var json: JSONObject {
        var object: JSONObject = ["event": "result", "run": .string(run.text), "state": .string(state.rawValue)]
        if !reason.isEmpty { object["reason"] = .string(reason) }
        object["actions"] = .array(actions.map { .object($0.json) })
        object["outputs"] = .object(outputs)
        if !abandoned.isEmpty { object["abandoned"] = .array(abandoned.map { .string($0) }) }
        return object
    }
}

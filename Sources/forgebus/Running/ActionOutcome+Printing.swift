import ForgeBusProtocol

extension ActionOutcome {
    /// The outcome of the action, in one line for people.
    ///
    /// A reason with which the text `told` ends is left out, because people have just read it.
    func line(below told: String = "") -> String {
        var line = "  \(action.padded(to: 20))\(result.word.padded(to: 11))\(duration.readable)"
        if case .failed(let reason) = result, !told.hasSuffix(reason) { line += "  \(reason)" }
        return line
    }
}

extension RunResult {
    /// The run's final state, in one line for people.
    var headline: String { "\(state.rawValue.padded(to: 11))\(run)\(reason.isEmpty ? "" : "  \(reason)")" }

    /// The run's outputs, in one line for people; nil if there are none.
    var outputsLine: String? { outputs.isEmpty ? nil : "outputs    \(JSONValue.object(outputs))" }

    /// The actions that had not returned when the run ended, in one line for people; nil if there are none.
    var abandonedLine: String? {
        let names = abandoned.joined(separator: ", ")
        let remark =
            "may still execute, but can no longer change the run; an action should return when its task is cancelled"
        return abandoned.isEmpty ? nil : "abandoned  \(names)  (\(remark))"
    }

    /// The whole result for programs, as the last event of the run.
    var event: JSONObject { json.entries.reduce(into: ["event": "result"]) { $0[$1.key] = $1.value } }
}

import ForgeBusProtocol

extension RunProgress.Change {
    /// One line for people.
    var line: String {
        switch self {
        case .started(let action): "started    \(action)"
        case .finished(let action, .failed(let reason)): "failed     \(action)  \(reason)"
        case .finished(let action, let result): "\(result.word.padded(to: 11))\(action)"
        case .waiting(let action, let signal): "waiting    \(action)  for \(signal)"
        case .resumed(let action, let signal): "resumed    \(action)  \(signal) is decided"
        case .retrying(let action, let attempt, let after):
            "retrying   \(action)  attempt \(attempt) in \(after.readable)"
        case .parked(let action, let reason): "parked     \(action)  \(reason)"
        case .redriven(let action): "redriven   \(action)"
        }
    }

    /// The same for programs.
    var json: JSONObject {
        switch self {
        case .started(let action): ["event": "started", "action": .string(action)]
        case .finished(let action, .failed(let reason)):
            ["event": "finished", "action": .string(action), "result": "failed", "reason": .string(reason)]
        case .finished(let action, let result):
            ["event": "finished", "action": .string(action), "result": .string(result.word)]
        case .waiting(let action, let signal):
            ["event": "waiting", "action": .string(action), "signal": .string(signal.text)]
        case .resumed(let action, let signal):
            ["event": "resumed", "action": .string(action), "signal": .string(signal.text)]
        case .retrying(let action, let attempt, let after):
            [
                "event": "retrying", "action": .string(action), "attempt": .integer(Int64(attempt)),
                "after_ms": .integer(after.milliseconds),
            ]
        case .parked(let action, let reason):
            ["event": "parked", "action": .string(action), "reason": .string(reason)]
        case .redriven(let action): ["event": "redriven", "action": .string(action)]
        }
    }
}

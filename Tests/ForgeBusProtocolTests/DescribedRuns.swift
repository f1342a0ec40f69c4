import ForgeBusProtocol

/// What answers say of runs, in the words of `Protocol.md`.
extension Neutral {
    static func fields(_ progress: RunProgress) -> [String: Neutral] {
        var fields: [String: Neutral] = ["answer": "PROGRESS", "run": .string(progress.run.text)]
        fields["sequence"] = .integer(Int64(progress.sequence))
        switch progress.change {
        case .started(let action):
            fields["state"] = "started"
            fields["action"] = .string(action)
        case .finished(let action, let result):
            fields["state"] = "finished"
            fields["action"] = .string(action)
            fields.merge(self.fields(result)) { $1 }
        case .waiting(let action, let signal):
            fields["state"] = "waiting"
            fields["action"] = .string(action)
            fields["signal"] = .string(signal.text)
        case .resumed(let action, let signal):
            fields["state"] = "resumed"
            fields["action"] = .string(action)
            fields["signal"] = .string(signal.text)
        case .retrying(let action, let attempt, let time, let reason):
            fields["state"] = "retrying"
            if !reason.isEmpty { fields["reason"] = .string(reason) }
            fields["action"] = .string(action)
            fields["attempt"] = .integer(Int64(attempt))
            fields["after_ms"] = .integer(time.milliseconds)
        case .parked(let action, let reason):
            fields["state"] = "parked"
            fields["action"] = .string(action)
            fields["reason"] = .string(reason)
        case .redriven(let action):
            fields["state"] = "redriven"
            fields["action"] = .string(action)
        }
        return fields
    }

    private static func fields(_ result: ActionOutcome.Result) -> [String: Neutral] {
        switch result {
        case .completed: ["result": "completed"]
        case .skipped: ["result": "skipped"]
        case .failed(let reason): ["result": "failed", "reason": .string(reason)]
        }
    }

    static func actions(_ outcomes: [ActionOutcome]) -> Neutral {
        .array(
            outcomes.map { outcome in
                var fields = self.fields(outcome.result)
                fields["action"] = .string(outcome.action)
                fields["start_us"] = .integer(outcome.start.microseconds)
                fields["duration_us"] = .integer(outcome.duration.microseconds)
                return .object(fields)
            }
        )
    }

    static func fields(_ result: RunResult) -> [String: Neutral] {
        var fields: [String: Neutral] = [
            "answer": "RESULT", "run": .string(result.run.text), "state": .string(result.state.rawValue),
            "reason": .string(result.reason), "actions": actions(result.actions), "outputs": Neutral(result.outputs),
        ]
        fields["abandoned"] = result.abandoned.isEmpty ? nil : .array(result.abandoned.map { .string($0) })
        return fields
    }
}

import ForgeBusProtocol

/// Messages as `golden.json` describes them: the words of `Protocol.md`, none of Swift's.
extension Neutral {
    init(_ request: Request) {
        var fields: [String: Neutral] = ["id": .string(request.id.text)]
        fields["source"] = request.source.map { .string($0) }
        fields["traceparent"] = request.traceparent.map { .string($0) }
        switch request.command {
        case .notify(let change): fields.merge(Self.fields(change)) { $1 }
        case .run(let run): fields.merge(Self.fields(run)) { $1 }
        case .decide(let decision): fields.merge(Self.fields(decision)) { $1 }
        case .list(let list):
            fields["command"] = "LIST"
            fields["kind"] = .string(list.kind.rawValue)
            fields["limit"] = .integer(Int64(list.limit))
            fields["cursor"] = list.cursor.map { .string($0) }
        case .ping(let body):
            fields["command"] = "PING"
            fields["body"] = .bytes(body)
        }
        self = .object(fields)
    }

    private static func fields(_ change: StateChange) -> [String: Neutral] {
        var fields: [String: Neutral] = ["command": "NOTIFY", "topic": .string(change.topic.text)]
        fields["reply"] = change.wantsEvaluation ? "evaluated" : "accepted"
        fields["deadline_ms"] = change.deadline.map { .integer($0.milliseconds) }
        fields["durability"] = change.durability.map { .string($0.rawValue) }
        fields["body"] = .bytes(change.body)
        return fields
    }

    private static func fields(_ run: RunRequest) -> [String: Neutral] {
        var fields: [String: Neutral] = ["command": "RUN", "pipeline": .string(run.pipeline.text)]
        fields["reply"] = run.isDetached ? "accepted" : "result"
        fields["deadline_ms"] = run.deadline.map { .integer($0.milliseconds) }
        fields["durability"] = run.durability.map { .string($0.rawValue) }
        fields["progress"] = run.wantsProgress ? .bool(true) : nil
        fields["seeds"] = Neutral(run.seeds)
        return fields
    }

    private static func fields(_ decision: Decision) -> [String: Neutral] {
        var fields: [String: Neutral] = ["signal": .string(decision.signal.text)]
        fields["keep_ms"] = .integer(decision.keep.milliseconds)
        fields["durability"] = decision.durability.map { .string($0.rawValue) }
        switch decision.outcome {
        case .approved(let value):
            fields["command"] = "COMPLETE"
            fields["value"] = .bytes(value)
        case .rejected(let reason):
            fields["command"] = "REJECT"
            fields["reason"] = .string(reason)
        }
        return fields
    }

    init(_ answer: Answer) {
        var fields: [String: Neutral] =
            switch answer.content {
            case .accepted(let acceptance): Self.fields(acceptance)
            case .progress(let progress): Self.fields(progress)
            case .result(let result): Self.fields(result)
            case .evaluated(let evaluation): Self.fields(evaluation)
            case .verdict(let report): Self.fields(report)
            case .page(let page): ["answer": "PAGE", "items": .array(page.items.map { Neutral($0) })]
            case .pong(let pong):
                [
                    "answer": "PONG", "worker": .string(pong.worker), "state": .string(pong.state.rawValue),
                    "body": .bytes(pong.body),
                ]
            case .error(let error): Self.fields(error)
            }
        if case .page(let page) = answer.content { fields["cursor"] = page.cursor.map { .string($0) } }
        fields["id"] = answer.id.map { .string($0.text) } ?? .null
        if answer.isReplayed { fields["replayed"] = .bool(true) }
        self = .object(fields)
    }

    private static func fields(_ acceptance: Acceptance) -> [String: Neutral] {
        var fields: [String: Neutral] = ["answer": "ACCEPTED", "durability": .string(acceptance.durability.rawValue)]
        fields["monitors"] = acceptance.monitors.map { .integer(Int64($0)) }
        fields["run"] = acceptance.run.map { .string($0.text) }
        fields["retention_ms"] = acceptance.retention.map { .integer($0.milliseconds) }
        return fields
    }

    private static func fields(_ progress: RunProgress) -> [String: Neutral] {
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

    private static func actions(_ outcomes: [ActionOutcome]) -> Neutral {
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

    private static func fields(_ result: RunResult) -> [String: Neutral] {
        [
            "answer": "RESULT", "run": .string(result.run.text), "state": .string(result.state.rawValue),
            "reason": .string(result.reason), "actions": actions(result.actions), "outputs": Neutral(result.outputs),
        ]
    }

    private static func fields(_ evaluation: Evaluation) -> [String: Neutral] {
        let monitors = evaluation.monitors.map { monitor in
            var fields: [String: Neutral] = ["monitor": .string(monitor.monitor.text)]
            fields["cycle"] = monitor.cycle.map { .integer(Int64($0)) }
            fields["state"] = .string(monitor.state.rawValue)
            fields["actions"] = actions(monitor.actions)
            return Neutral.object(fields)
        }
        let pending = evaluation.pending.map { Neutral.string($0.text) }
        return ["answer": "EVALUATED", "monitors": .array(monitors), "pending": .array(pending)]
    }

    private static func fields(_ report: VerdictReport) -> [String: Neutral] {
        var fields: [String: Neutral] = ["answer": "VERDICT", "signal": .string(report.signal.text)]
        fields["durability"] = .string(report.durability.rawValue)
        fields["retention_ms"] = .integer(report.retention.milliseconds)
        switch report.verdict {
        case .delivered: fields["verdict"] = "delivered"
        case .counted(let have, let need):
            fields["verdict"] = "counted"
            fields["have"] = .integer(Int64(have))
            fields["need"] = .integer(Int64(need))
        case .buffered(let time):
            fields["verdict"] = "buffered"
            fields["keep_ms"] = .integer(time.milliseconds)
        case .duplicate: fields["verdict"] = "duplicate"
        case .conflict(let standing):
            fields["verdict"] = "conflict"
            fields["standing"] = .string(standing.decision)
            fields["by"] = .string(standing.principal)
            fields["at_ms"] = .integer(standing.unixMilliseconds)
        case .expired: fields["verdict"] = "expired"
        case .closed(let why):
            fields["verdict"] = "closed"
            fields["why"] = .string(why)
        case .forbidden(let why):
            fields["verdict"] = "forbidden"
            fields["why"] = .string(why)
        case .unknown: fields["verdict"] = "unknown"
        }
        return fields
    }

    private static func fields(_ error: BusError) -> [String: Neutral] {
        var fields: [String: Neutral] = ["answer": "ERROR", "code": .string(error.code.rawValue)]
        fields["message"] = .string(error.message)
        fields["next"] = .string(error.next)
        fields["retryable"] = .bool(error.isRetryable)
        fields["retry_after_ms"] = error.retryAfter.map { .integer($0.milliseconds) }
        fields["details"] = Neutral(error.details)
        return fields
    }
}

extension Neutral: ExpressibleByStringLiteral {
    init(stringLiteral value: String) { self = .string(value) }
}

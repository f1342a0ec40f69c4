import ForgeBusProtocol

/// Answers as `golden.json` describes them.
extension Neutral {
    init(_ answer: Answer) {
        var fields: [String: Neutral] =
            switch answer.content {
            case .welcome(let welcome): Self.fields(welcome)
            case .accepted(let acceptance): Self.fields(acceptance)
            case .progress(let progress): Self.fields(progress)
            case .result(let result): Self.fields(result)
            case .evaluated(let evaluation): Self.fields(evaluation)
            case .verdict(let report): Self.fields(report)
            case .ok(let report): Self.fields(report)
            case .shown(let item): ["answer": "SHOWN", "item": Neutral(item)]
            case .event(let event): Self.fields(event)
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
        case .delivered:
            fields["verdict"] = "delivered"
            fields["run_state"] = report.parkingReason.map { _ in "parked" }
            fields["reason"] = report.parkingReason.map { .string($0) }
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
            fields["standing"] = .string(standing.decision.rawValue)
            fields["by"] = .string(standing.principal)
            fields["via"] = standing.via.map { .string($0) }
            fields["at_ms"] = .integer(standing.unixMilliseconds)
        case .expired: fields["verdict"] = "expired"
        case .closed(let why):
            fields["verdict"] = "closed"
            fields["why"] = .string(why)
        case .forbidden(let why):
            fields["verdict"] = "forbidden"
            fields["why"] = .string(why)
        case .unknown(let why):
            fields["verdict"] = "unknown"
            if !why.isEmpty { fields["why"] = .string(why) }
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
    private static func fields(_ welcome: Welcome) -> [String: Neutral] {
        var fields: [String: Neutral] = [
            "answer": "WELCOME", "worker": .string(welcome.worker), "state": .string(welcome.state.rawValue),
            "versions": .array(welcome.versions.map { .integer(Int64($0)) }),
            "durability": .string(welcome.durability.rawValue),
            "retention_ms": .integer(welcome.retention.milliseconds),
            "limits": .object(welcome.limits.mapValues { .integer(Int64($0)) }),
        ]
        fields["store"] = welcome.store.map { .string($0) }
        if !welcome.features.isEmpty { fields["features"] = .array(welcome.features.map { .string($0) }) }
        return fields
    }

    private static func fields(_ report: StateReport) -> [String: Neutral] {
        var fields: [String: Neutral] = ["answer": "OK", "state": .string(report.state.rawValue)]
        fields["run"] = report.run.map { .string($0.text) }
        fields["durability"] = report.durability.map { .string($0.rawValue) }
        fields["retention_ms"] = report.retention.map { .integer($0.milliseconds) }
        fields["details"] = Neutral(report.details)
        return fields
    }

    private static func fields(_ event: BusEvent) -> [String: Neutral] {
        [
            "answer": "EVENT", "subject": .string(event.subject.text), "sequence": .integer(Int64(event.sequence)),
            "lost": .integer(Int64(event.lost)), "body": Neutral(event.body),
        ]
    }
}

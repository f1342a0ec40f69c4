import ForgeBusProtocol

/// Messages as `golden.json` describes them: the words of `Protocol.md`, none of Swift's.
extension Neutral {
    init(_ request: Request) {
        var fields: [String: Neutral] = ["id": .string(request.id.text)]
        fields["source"] = request.source.map { .string($0) }
        fields["traceparent"] = request.traceparent.map { .string($0) }
        switch request.command {
        case .hello: fields["command"] = "HELLO"
        case .notify(let change): fields.merge(Self.fields(change)) { $1 }
        case .run(let run): fields.merge(Self.fields(run)) { $1 }
        case .attach(let attach): fields.merge(Self.fields(attach)) { $1 }
        case .cancel(let cancel): fields.merge(Self.fields(cancel)) { $1 }
        case .redrive(let redrive): fields.merge(Self.fields(redrive)) { $1 }
        case .decide(let decision): fields.merge(Self.fields(decision)) { $1 }
        case .show(let show): fields.merge(Self.fields(show)) { $1 }
        case .list(let list): fields.merge(Self.fields(list)) { $1 }
        case .watch(let watch): fields.merge(Self.fields(watch)) { $1 }
        case .unwatch: fields["command"] = "UNWATCH"
        case .mode(let mode): fields.merge(Self.fields(mode)) { $1 }
        case .admin(let admin): fields.merge(Self.fields(admin)) { $1 }
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
    private static func fields(_ attach: AttachRequest) -> [String: Neutral] {
        var fields: [String: Neutral] = ["command": "ATTACH", "run": .string(attach.run.text)]
        fields["wait_ms"] = attach.patience.map { .integer($0.milliseconds) }
        fields["progress"] = attach.wantsProgress ? .bool(true) : nil
        return fields
    }

    private static func fields(_ cancel: CancelRequest) -> [String: Neutral] {
        var fields: [String: Neutral] = ["command": "CANCEL", "run": .string(cancel.run.text)]
        fields["reason"] = .string(cancel.reason)
        fields["durability"] = cancel.durability.map { .string($0.rawValue) }
        return fields
    }

    private static func fields(_ redrive: RedriveRequest) -> [String: Neutral] {
        var fields: [String: Neutral] = ["command": "REDRIVE", "run": .string(redrive.run.text)]
        fields["durability"] = redrive.durability.map { .string($0.rawValue) }
        return fields
    }

    private static func fields(_ show: ShowRequest) -> [String: Neutral] {
        ["command": "SHOW", "kind": .string(show.kind.rawValue), "name": .string(show.name.text)]
    }

    private static func fields(_ list: ListRequest) -> [String: Neutral] {
        var fields: [String: Neutral] = ["command": "LIST", "kind": .string(list.kind.rawValue)]
        fields["limit"] = .integer(Int64(list.limit))
        fields["cursor"] = list.cursor.map { .string($0) }
        return fields
    }

    private static func fields(_ watch: WatchRequest) -> [String: Neutral] {
        ["command": "WATCH", "pattern": .string(watch.pattern.text), "credit": .integer(Int64(watch.credit))]
    }

    private static func fields(_ mode: ModeRequest) -> [String: Neutral] {
        var fields: [String: Neutral] = ["command": "MODE", "pattern": .string(mode.monitors.text)]
        fields["ttl_ms"] = .integer(mode.timeToLive.milliseconds)
        fields["screen"] = mode.screen.map { .string($0) } ?? .null
        return fields
    }

    private static func fields(_ admin: AdminRequest) -> [String: Neutral] {
        ["command": "ADMIN", "verb": .string(admin.verb.text), "arguments": Neutral(admin.arguments)]
    }
}

/// What is published, in the same words.
extension Neutral {
    init(_ publication: Publication) {
        var fields: [String: Neutral] = ["topic": .string(publication.topic.text), "id": .string(publication.id.text)]
        fields["source"] = publication.source.map { .string($0) }
        fields["traceparent"] = publication.traceparent.map { .string($0) }
        fields["origin"] = publication.origin.map { origin in
            .object(["epoch": .string("\(origin.epoch)"), "sequence": .string("\(origin.sequence)")])
        }
        fields["body"] = .bytes(publication.body)
        self = .object(fields)
    }
}

extension Neutral: ExpressibleByStringLiteral {
    init(stringLiteral value: String) { self = .string(value) }
}

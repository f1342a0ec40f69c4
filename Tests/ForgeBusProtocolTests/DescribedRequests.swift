import ForgeBusProtocol

/// Requests as `golden.json` describes them: the words of `Protocol.md`, none of Swift's.
extension Neutral {
    init(_ request: Request) {
        let verb: VerbDescription = request.command.view()
        var fields = verb.fields
        fields["command"] = .string(verb.word)
        fields["id"] = .string(request.id.text)
        fields["source"] = request.source.map { .string($0) }
        fields["traceparent"] = request.traceparent.map { .string($0) }
        fields["as"] = request.principal.map { .string($0.text) }
        self = .object(fields)
    }
}

/// A verb whose requests have more than their word.
private protocol Described {
    var fields: [String: Neutral] { get }
}

private struct VerbDescription: VerbView {
    let word: String
    let fields: [String: Neutral]

    init(_ verb: some Verb) {
        word = verb.word
        fields = (verb as? any Described)?.fields ?? [:]
    }
}

extension StateChange: Described {
    fileprivate var fields: [String: Neutral] {
        var fields: [String: Neutral] = ["topic": .string(topic.text), "body": .bytes(body)]
        fields["reply"] = wantsEvaluation ? "evaluated" : "accepted"
        fields["deadline_ms"] = deadline.map { .integer($0.milliseconds) }
        fields["durability"] = durability.map { .string($0.rawValue) }
        return fields
    }
}

extension RunRequest: Described {
    fileprivate var fields: [String: Neutral] {
        var fields: [String: Neutral] = ["pipeline": .string(pipeline.text), "seeds": Neutral(seeds)]
        fields["reply"] = isDetached ? "accepted" : "result"
        fields["deadline_ms"] = deadline.map { .integer($0.milliseconds) }
        fields["durability"] = durability.map { .string($0.rawValue) }
        fields["progress"] = wantsProgress ? .bool(true) : nil
        return fields
    }
}

extension AttachRequest: Described {
    fileprivate var fields: [String: Neutral] {
        var fields: [String: Neutral] = ["run": .string(run.text)]
        fields["wait_ms"] = patience.map { .integer($0.milliseconds) }
        fields["progress"] = wantsProgress ? .bool(true) : nil
        return fields
    }
}

extension CancelRequest: Described {
    fileprivate var fields: [String: Neutral] {
        var fields: [String: Neutral] = ["run": .string(run.text), "reason": .string(reason)]
        fields["durability"] = durability.map { .string($0.rawValue) }
        return fields
    }
}

extension RedriveRequest: Described {
    fileprivate var fields: [String: Neutral] {
        var fields: [String: Neutral] = ["run": .string(run.text)]
        fields["durability"] = durability.map { .string($0.rawValue) }
        return fields
    }
}

extension SteeringRequest: Described {
    fileprivate var fields: [String: Neutral] {
        var fields: [String: Neutral] = ["expect": .integer(Int64(count))]
        fields["state"] = filter.state.map { .string($0.rawValue) }
        fields["pipeline"] = filter.pipeline.map { .string($0.text) }
        fields["principal"] = filter.principal.map { .string($0) }
        fields["older_than_ms"] = filter.olderThan.map { .integer($0.milliseconds) }
        fields["id_prefix"] = filter.prefix.map { .string($0) }
        fields["durability"] = durability.map { .string($0.rawValue) }
        if case .cancel(let reason) = change { fields["reason"] = .string(reason) }
        return fields
    }
}

extension Decision: Described {
    fileprivate var fields: [String: Neutral] {
        var fields: [String: Neutral] = ["signal": .string(signal.text)]
        fields["keep_ms"] = keep.map { .integer($0.milliseconds) }
        fields["durability"] = durability.map { .string($0.rawValue) }
        switch outcome {
        case .approved(let value): fields["value"] = .bytes(value)
        case .rejected(let reason): fields["reason"] = .string(reason)
        }
        return fields
    }
}

extension WithdrawRequest: Described {
    fileprivate var fields: [String: Neutral] {
        var fields: [String: Neutral] = ["signal": .string(signal.text)]
        fields["durability"] = durability.map { .string($0.rawValue) }
        return fields
    }
}

extension ShowRequest: Described {
    fileprivate var fields: [String: Neutral] {
        var fields: [String: Neutral] = ["kind": .string(kind.rawValue), "name": .string(name.text)]
        fields["action"] = action.map { .string($0) }
        return fields
    }
}

extension ListRequest: Described {
    fileprivate var fields: [String: Neutral] {
        var fields: [String: Neutral] = ["kind": .string(kind.rawValue), "limit": .integer(Int64(limit))]
        fields["cursor"] = cursor.map { .string($0) }
        if order != .oldest { fields["order"] = .string(order.rawValue) }
        fields["state"] = filter.state.map { .string($0.rawValue) }
        fields["pipeline"] = filter.pipeline.map { .string($0.text) }
        fields["principal"] = filter.principal.map { .string($0) }
        fields["older_than_ms"] = filter.olderThan.map { .integer($0.milliseconds) }
        fields["id_prefix"] = filter.prefix.map { .string($0) }
        return fields
    }
}

extension WatchRequest: Described {
    fileprivate var fields: [String: Neutral] {
        ["pattern": .string(pattern.text), "credit": .integer(Int64(credit))]
    }
}

extension ModeRequest: Described {
    fileprivate var fields: [String: Neutral] {
        var fields: [String: Neutral] = ["pattern": .string(monitors.text)]
        fields["ttl_ms"] = .integer(timeToLive.milliseconds)
        fields["screen"] = screen.map { .string($0) } ?? .null
        return fields
    }
}

extension PauseRequest: Described {
    fileprivate var fields: [String: Neutral] {
        var fields: [String: Neutral] = ["kind": .string(subject.kind.rawValue), "name": .string(subject.name.text)]
        guard case .pause(let time, let reason) = change else { return fields }
        fields["ttl_ms"] = time.map { .integer($0.milliseconds) }
        fields["reason"] = .string(reason)
        return fields
    }
}

extension AdminRequest: Described {
    fileprivate var fields: [String: Neutral] { ["verb": .string(verb.text), "arguments": Neutral(arguments)] }
}

extension PingRequest: Described {
    fileprivate var fields: [String: Neutral] { ["body": .bytes(body)] }
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

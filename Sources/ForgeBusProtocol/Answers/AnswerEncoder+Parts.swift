extension JSONMembers {
    /// Adds a reason, cut to ``WireLimits/reasonSizeInBytes``.
    ///
    /// JSON escapes make a text longer, so a reason without this limit could make the frame too large.
    mutating func add(reason: String, under key: StaticString = "reason") {
        add(key, Printable.cut(reason, to: WireLimits.reasonSizeInBytes))
    }
}

// The following extensions write the parts of answers.
extension RunProgress {
    func write(to attributes: inout some JSONMembers) {
        attributes.add("sequence", Int64(sequence))
        change.write(to: &attributes, naming: "state")
    }
}

extension RunProgress.Change {
    func write(to attributes: inout some JSONMembers, naming key: StaticString) {
        attributes.add(key, word)
        attributes.add("action", action)
        switch self {
        case .started, .redriven: break
        case .finished(_, let result):
            attributes.add("result", result.word)
            if case .failed(let reason) = result { attributes.add(reason: reason) }
        case .waiting(_, let signal), .resumed(_, let signal): attributes.add("signal", signal.text)
        case .retrying(_, let attempt, let time, let reason):
            attributes.add("attempt", Int64(attempt))
            attributes.add("after_ms", time.milliseconds)
            if !reason.isEmpty { attributes.add(reason: reason) }
        case .parked(_, let reason): attributes.add(reason: reason)
        }
    }

    /// The change's word on the wire.
    public var word: String {
        switch self {
        case .started: "started"
        case .finished: "finished"
        case .waiting: "waiting"
        case .resumed: "resumed"
        case .retrying: "retrying"
        case .parked: "parked"
        case .redriven: "redriven"
        }
    }

    /// The id of the action that the change is about.
    public var action: String {
        switch self {
        case .started(let action), .finished(let action, _), .waiting(let action, _), .resumed(let action, _),
            .retrying(let action, _, _, _), .parked(let action, _), .redriven(let action):
            action
        }
    }
}

extension RunResult {
    func write(to attributes: inout some JSONMembers) {
        attributes.add("state", state.rawValue)
        if state != .completed { attributes.add(reason: reason) }
    }

    func write(toBody body: inout some JSONMembers) {
        body.add("actions", objects: actions) { $0.write(to: &$1) }
        body.add("outputs", outputs)
        if !abandoned.isEmpty { body.add("abandoned", .array(abandoned.map { .string($0) })) }
    }
}

extension VerdictReport {
    func write(to attributes: inout some JSONMembers) {
        attributes.add("verdict", verdict.word)
        switch verdict {
        case .delivered:
            if let parkingReason {
                attributes.add("run_state", StateReport.State.parked.rawValue)
                attributes.add(reason: parkingReason)
            }
        case .duplicate, .expired: break
        case .counted(let have, let need):
            attributes.add("have", Int64(have))
            attributes.add("need", Int64(need))
        case .buffered(let time): attributes.add("keep_ms", time.milliseconds)
        case .conflict(let standing):
            attributes.add("standing", standing.decision.rawValue)
            attributes.add("by", standing.principal)
            if let via = standing.via { attributes.add("via", via) }
            attributes.add("at_ms", standing.unixMilliseconds)
        case .closed(let why), .forbidden(let why): attributes.add(reason: why, under: "why")
        case .unknown(let why): if !why.isEmpty { attributes.add(reason: why, under: "why") }
        }
        attributes.add("durability", durability.rawValue)
        attributes.add("retention_ms", retention.milliseconds)
    }
}

extension Welcome {
    func write(to attributes: inout some JSONMembers) {
        attributes.add("worker", worker)
        attributes.add("versions", .array(versions.map { .integer(Int64($0)) }))
        attributes.add("state", state.rawValue)
        attributes.add("durability", durability.rawValue)
        attributes.add("retention_ms", retention.milliseconds)
        if let store { attributes.add("store", store) }
        if !features.isEmpty { attributes.add("features", .array(features.map { .string($0) })) }
        var limits = JSONObject()
        for (name, limit) in self.limits.sorted(by: { $0.key < $1.key }) { limits[name] = .integer(Int64(limit)) }
        attributes.add("limits", .object(limits))
    }
}

extension StateReport {
    func write(to attributes: inout some JSONMembers) {
        attributes.add("state", state.rawValue)
        if let durability { attributes.add("durability", durability.rawValue) }
        if let retention { attributes.add("retention_ms", retention.milliseconds) }
        for detail in details.entries { attributes.add(detail) }
    }
}

extension BusEvent {
    func write(to attributes: inout JSONWriter) {
        attributes.add("sequence", Int64(sequence))
        if lost != 0 { attributes.add("lost", Int64(lost)) }
    }
}

extension BusError {
    func write(to attributes: inout JSONWriter) {
        attributes.add("code", code.rawValue)
        attributes.add("message", message)
        attributes.add("next", next)
        attributes.add("retryable", .bool(isRetryable))
        if let retryAfter { attributes.add("retry_after_ms", retryAfter.milliseconds) }
        for detail in details.entries { attributes.add(detail) }
    }
}

extension ActionOutcome.Result {
    /// The result's word on the wire.
    public var word: String {
        switch self {
        case .completed: "completed"
        case .skipped: "skipped"
        case .failed: "failed"
        }
    }
}

extension ActionOutcome {
    /// The outcome as one JSON object, as in the array `actions` of RESULT.
    package var json: JSONObject { JSONObject { write(to: &$0) } }

    func write(to object: inout some JSONMembers) {
        object.add("action", action)
        object.add("result", result.word)
        if case .failed(let reason) = result {
            object.add("reason", Printable.cut(reason, to: WireLimits.actionReasonSizeInBytes))
        }
        object.add("start_us", start.microseconds)
        object.add("duration_us", duration.microseconds)
    }
}

extension Evaluation.Monitor {
    func write(to object: inout some JSONMembers) {
        object.add("monitor", monitor.text)
        if let cycle { object.add("cycle", Int64(cycle)) }
        object.add("state", state.rawValue)
        object.add("actions", objects: actions) { $0.write(to: &$1) }
    }
}

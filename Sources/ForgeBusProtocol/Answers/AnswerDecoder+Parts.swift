// The extensions in this file read all answers except ACCEPTED, PROGRESS, RESULT and EVALUATED.
extension VerdictReport {
    init(_ fields: AnswerFields, subject: ArraySlice<UInt8>) throws(BusError) {
        let verdict: Verdict
        switch try fields.text("verdict") {
        case "delivered": verdict = .delivered
        case "counted": verdict = .counted(have: Int(try fields.integer("have")), need: Int(try fields.integer("need")))
        case "buffered": verdict = .buffered(for: try fields.milliseconds("keep_ms"))
        case "duplicate": verdict = .duplicate
        case "conflict":
            verdict = .conflict(
                Verdict.Standing(
                    decision: try fields.choice("standing"),
                    principal: try fields.text("by"),
                    via: fields.object["via"]?.string,
                    unixMilliseconds: try fields.integer("at_ms")
                )
            )
        case "expired": verdict = .expired
        case "closed": verdict = .closed(why: try fields.text("why"))
        case "forbidden": verdict = .forbidden(why: try fields.text("why"))
        case "unknown": verdict = .unknown(why: fields.object["why"]?.string ?? "")
        case let word: throw Errors.badAnswer("the answer VERDICT has the unknown word \(Printable.quoted(word))")
        }
        self.init(
            signal: SignalID(try Name(bytes: subject)),
            verdict: verdict,
            durability: try fields.choice("durability"),
            retention: try fields.milliseconds("retention_ms"),
            parkingReason: Self.parkingReason(fields, verdict)
        )
    }

    private static func parkingReason(_ fields: AnswerFields, _ verdict: Verdict) -> String? {
        guard verdict == .delivered, fields.object["run_state"]?.string == StateReport.State.parked.rawValue else {
            return nil
        }
        return fields.object["reason"]?.string ?? ""
    }
}

extension Page {
    init(_ fields: AnswerFields, body: ArraySlice<UInt8>) throws(BusError) {
        guard case .array(let values) = try JSONValue(parsing: body, as: "the body of the answer PAGE") else {
            throw Errors.badAnswer("the body of the answer PAGE is not an array")
        }
        var items: [JSONObject] = []
        for value in values { items.append(try AnswerFields(value, of: "an item in the answer PAGE").object) }
        self.init(items: items, cursor: fields.object["cursor"]?.string)
    }
}

extension Pong {
    init(_ fields: AnswerFields, body: ArraySlice<UInt8>) throws(BusError) {
        self.init(worker: try fields.text("worker"), state: try fields.choice("state"), body: Array(body))
    }
}

extension Welcome {
    init(_ fields: AnswerFields) throws(BusError) {
        self.init(
            worker: try fields.text("worker"),
            versions: try fields.integers("versions"),
            state: try fields.choice("state"),
            durability: try fields.choice("durability"),
            retention: try fields.milliseconds("retention_ms"),
            store: fields.object["store"]?.string,
            features: fields.object["features"]?.array?.compactMap(\.string) ?? [],
            limits: try fields.integersByName("limits")
        )
    }
}

extension StateReport {
    init(_ fields: AnswerFields, subject: ArraySlice<UInt8>) throws(BusError) {
        self.init(
            try fields.choice("state"),
            run: subject.isEmpty ? nil : RunID(try Name(bytes: subject)),
            durability: fields.object["durability"]?.string == nil ? nil : try fields.choice("durability"),
            retention: fields.object["retention_ms"]?.integer.map { .milliseconds($0) },
            details: fields.details(beside: ["state", "durability", "retention_ms"])
        )
    }
}

extension BusEvent {
    init(_ fields: AnswerFields, subject: ArraySlice<UInt8>, body: ArraySlice<UInt8>) throws(BusError) {
        self.init(
            try EventSubject(bytes: subject),
            sequence: Int(try fields.integer("sequence")),
            lost: Int(fields.object["lost"]?.integer ?? 0),
            body: try AnswerFields(body: body, of: "EVENT").object
        )
    }
}

extension BusError {
    init(_ fields: AnswerFields) throws(BusError) {
        self.init(
            ErrorCode(rawValue: try fields.text("code")),
            try fields.text("message"),
            next: try fields.text("next"),
            retryAfter: fields.object["retry_after_ms"]?.integer.map { .milliseconds($0) }
        )
        details = fields.details(beside: ["code", "message", "next", "retryable", "retry_after_ms"])
    }
}

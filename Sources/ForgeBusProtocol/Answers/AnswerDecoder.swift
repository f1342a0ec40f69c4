extension Answer {
    /// Reads an answer from its five frames.
    ///
    /// Attributes and members a newer worker may add are ignored.
    ///
    /// - Throws: ``BusError`` with code `bad_answer`, saying what was expected.
    public init(decoding frames: Frames) throws(BusError) {
        do throws(BusError) {
            try self.init(reading: frames)
        } catch {
            // A name, an id or a body that breaks its rule says so in a request's code, which means nothing here.
            throw error.code == .badAnswer ? error : .badAnswer(String(error.message.dropLast()))
        }
    }

    private init(reading frames: Frames) throws(BusError) {
        let text = try CommandFrame.word(of: frames.command)
        guard let word = AnswerWord(rawValue: text) else {
            throw .badAnswer("\(Printable.quoted(text)) is no answer of this version")
        }
        let attributes = try AnswerFields(parsing: frames.attributes, of: text)
        let content: Content =
            switch word {
            case .accepted: .accepted(try Acceptance(attributes, subject: frames.subject))
            case .progress: .progress(try RunProgress(attributes, subject: frames.subject))
            case .result: .result(try RunResult(attributes, subject: frames.subject, body: frames.body))
            case .evaluated: .evaluated(try Evaluation(attributes, body: frames.body))
            case .verdict: .verdict(try VerdictReport(attributes, subject: frames.subject))
            case .page: .page(try Page(attributes, body: frames.body))
            case .pong: .pong(try Pong(attributes, body: frames.body))
            case .error: .error(try BusError(attributes))
            }
        self.init(
            to: frames.id.isEmpty ? nil : try RequestID(bytes: frames.id),
            content,
            isReplayed: attributes.object["replayed"]?.bool ?? false
        )
    }
}

/// The fields of one object of an answer, each fetched with the type it must have.
private struct AnswerFields {
    let object: JSONObject
    private let place: String

    init(_ value: JSONValue, of place: String) throws(BusError) {
        guard case .object(let object) = value else { throw .badAnswer("\(place) holds no object") }
        self.object = object
        self.place = place
    }

    init(parsing frame: ArraySlice<UInt8>, of place: String) throws(BusError) {
        do throws(JSONParser.Flaw) {
            let value = frame.isEmpty ? JSONValue.object([:]) : try JSONParser.parse(frame)
            guard case .object(let object) = value else { throw JSONParser.Flaw(message: "no object", offset: 0) }
            self.object = object
            self.place = place
        } catch {
            throw .badAnswer("\(place) holds no JSON object: \(error.message)")
        }
    }

    func text(_ key: String) throws(BusError) -> String {
        guard let text = object[key]?.string else { throw missing(key, "string") }
        return text
    }

    func integer(_ key: String) throws(BusError) -> Int64 {
        guard let value = object[key]?.integer else { throw missing(key, "integer") }
        return value
    }

    func milliseconds(_ key: String) throws(BusError) -> Duration { .milliseconds(try integer(key)) }

    func choice<Choice: RawRepresentable>(_ key: String) throws(BusError) -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: try text(key)) else { throw missing(key, "known word") }
        return choice
    }

    func elements(_ key: String) throws(BusError) -> [JSONValue] {
        guard let values = object[key]?.array else { throw missing(key, "array") }
        return values
    }

    private func missing(_ key: String, _ type: String) -> BusError {
        .badAnswer("\(place) has no \(type) `\(key)`")
    }
}

extension BusError {
    fileprivate static func badAnswer(_ cause: String) -> BusError {
        BusError(.badAnswer, "An answer was not understood: \(cause).", next: "Use a client of the worker's version.")
    }

    fileprivate init(_ fields: AnswerFields) throws(BusError) {
        self.init(
            ErrorCode(rawValue: try fields.text("code")),
            try fields.text("message"),
            next: try fields.text("next"),
            retryAfter: fields.object["retry_after_ms"]?.integer.map { .milliseconds($0) }
        )
        let own = ["code", "message", "next", "retryable", "retry_after_ms", "replayed"]
        for entry in fields.object.entries where !own.contains(entry.key) { details[entry.key] = entry.value }
    }
}

extension Acceptance {
    fileprivate init(_ fields: AnswerFields, subject: ArraySlice<UInt8>) throws(BusError) {
        self.init(
            durability: try fields.choice("durability"),
            monitors: fields.object["monitors"]?.integer.map { Int($0) },
            run: subject.isEmpty ? nil : try RunID(bytes: subject),
            retention: fields.object["retention_ms"]?.integer.map { .milliseconds($0) }
        )
    }
}

extension RunProgress {
    fileprivate init(_ fields: AnswerFields, subject: ArraySlice<UInt8>) throws(BusError) {
        let action = try fields.text("action")
        let change: Change
        switch try fields.text("state") {
        case "started": change = .started(action: action)
        case "finished": change = .finished(action: action, try ActionOutcome.Result(fields))
        case "waiting": change = .waiting(action: action, signal: try SignalID(try fields.text("signal")))
        case "resumed": change = .resumed(action: action, signal: try SignalID(try fields.text("signal")))
        case let word: throw .badAnswer("PROGRESS has the unknown state \(Printable.quoted(word))")
        }
        self.init(run: try RunID(bytes: subject), sequence: Int(try fields.integer("sequence")), change: change)
    }
}

extension ActionOutcome.Result {
    fileprivate init(_ fields: AnswerFields) throws(BusError) {
        switch try fields.text("result") {
        case "completed": self = .completed
        case "skipped": self = .skipped
        case "failed": self = .failed(try fields.text("reason"))
        case let word: throw .badAnswer("an action has the unknown result \(Printable.quoted(word))")
        }
    }
}

extension ActionOutcome {
    fileprivate init(_ value: JSONValue) throws(BusError) {
        let fields = try AnswerFields(value, of: "an action")
        self.init(
            action: try fields.text("action"),
            result: try Result(fields),
            start: .microseconds(try fields.integer("start_us")),
            duration: .microseconds(try fields.integer("duration_us"))
        )
    }

    fileprivate static func list(_ values: [JSONValue]) throws(BusError) -> [ActionOutcome] {
        var outcomes: [ActionOutcome] = []
        for value in values { outcomes.append(try ActionOutcome(value)) }
        return outcomes
    }
}

extension RunResult {
    fileprivate init(_ fields: AnswerFields, subject: ArraySlice<UInt8>, body: ArraySlice<UInt8>) throws(BusError) {
        let content = try AnswerFields(parsing: body, of: "the body of RESULT")
        let state: State = try fields.choice("state")
        self.init(
            run: try RunID(bytes: subject),
            state: state,
            reason: state == .completed ? "" : fields.object["reason"]?.string ?? "",
            actions: try ActionOutcome.list(try content.elements("actions")),
            outputs: content.object["outputs"]?.object ?? [:]
        )
    }
}

extension Evaluation {
    fileprivate init(_ fields: AnswerFields, body: ArraySlice<UInt8>) throws(BusError) {
        guard case .array(let values) = try JSONValue(parsing: body) else {
            throw .badAnswer("the body of EVALUATED is no array")
        }
        var monitors: [Monitor] = []
        for value in values {
            let monitor = try AnswerFields(value, of: "a monitor of EVALUATED")
            monitors.append(
                Monitor(
                    monitor: try Name(try monitor.text("monitor")),
                    cycle: monitor.object["cycle"]?.integer.map { Int($0) },
                    state: try monitor.choice("state"),
                    actions: try ActionOutcome.list(try monitor.elements("actions"))
                )
            )
        }
        var pending: [Name] = []
        for value in fields.object["pending"]?.array ?? [] { pending.append(try Name(value.string ?? "")) }
        self.init(monitors: monitors, pending: pending)
    }
}

extension VerdictReport {
    fileprivate init(_ fields: AnswerFields, subject: ArraySlice<UInt8>) throws(BusError) {
        let verdict: Verdict
        switch try fields.text("verdict") {
        case "delivered": verdict = .delivered
        case "counted": verdict = .counted(have: Int(try fields.integer("have")), need: Int(try fields.integer("need")))
        case "buffered": verdict = .buffered(for: try fields.milliseconds("keep_ms"))
        case "duplicate": verdict = .duplicate
        case "conflict":
            verdict = .conflict(
                Verdict.Standing(
                    decision: try fields.text("standing"),
                    principal: try fields.text("by"),
                    unixMilliseconds: try fields.integer("at_ms")
                )
            )
        case "expired": verdict = .expired
        case "closed": verdict = .closed(why: try fields.text("why"))
        case "forbidden": verdict = .forbidden(why: try fields.text("why"))
        case "unknown": verdict = .unknown
        case let word: throw .badAnswer("VERDICT has the unknown word \(Printable.quoted(word))")
        }
        self.init(
            signal: try SignalID(bytes: subject),
            verdict: verdict,
            durability: try fields.choice("durability"),
            retention: try fields.milliseconds("retention_ms")
        )
    }
}

extension Page {
    fileprivate init(_ fields: AnswerFields, body: ArraySlice<UInt8>) throws(BusError) {
        guard case .array(let values) = try JSONValue(parsing: body) else {
            throw .badAnswer("the body of PAGE is no array")
        }
        var items: [JSONObject] = []
        for value in values { items.append(try AnswerFields(value, of: "an item of PAGE").object) }
        self.init(items: items, cursor: fields.object["cursor"]?.string)
    }
}

extension Pong {
    fileprivate init(_ fields: AnswerFields, body: ArraySlice<UInt8>) throws(BusError) {
        self.init(worker: try fields.text("worker"), state: try fields.choice("state"), body: Array(body))
    }
}

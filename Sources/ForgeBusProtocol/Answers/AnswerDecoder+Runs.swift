// The extensions in this file read ACCEPTED, PROGRESS, RESULT and EVALUATED.
extension Acceptance {
    init(_ fields: AnswerFields, subject: ArraySlice<UInt8>) throws(BusError) {
        self.init(
            durability: try fields.choice("durability"),
            monitors: fields.object["monitors"]?.integer.map { Int($0) },
            run: subject.isEmpty ? nil : RunID(try Name(bytes: subject)),
            retention: fields.object["retention_ms"]?.integer.map { .milliseconds($0) }
        )
    }
}

extension RunProgress {
    init(_ fields: AnswerFields, subject: ArraySlice<UInt8>) throws(BusError) {
        let action = try fields.text("action")
        let change: Change
        switch try fields.text("state") {
        case "started": change = .started(action: action)
        case "finished": change = .finished(action: action, try ActionOutcome.Result(fields))
        case "waiting": change = .waiting(action: action, signal: SignalID(try Name(try fields.text("signal"))))
        case "resumed": change = .resumed(action: action, signal: SignalID(try Name(try fields.text("signal"))))
        case "retrying":
            let attempt = Int(try fields.integer("attempt"))
            change = .retrying(
                action: action,
                attempt: attempt,
                after: try fields.milliseconds("after_ms"),
                reason: fields.object["reason"]?.string ?? ""
            )
        case "parked": change = .parked(action: action, reason: try fields.text("reason"))
        case "redriven": change = .redriven(action: action)
        case let word: throw Errors.badAnswer("the answer PROGRESS has the unknown state \(Printable.quoted(word))")
        }
        self.init(run: RunID(try Name(bytes: subject)), sequence: Int(try fields.integer("sequence")), change: change)
    }
}

extension ActionOutcome.Result {
    init(_ fields: AnswerFields) throws(BusError) {
        switch try fields.text("result") {
        case "completed": self = .completed
        case "skipped": self = .skipped
        case "failed": self = .failed(try fields.text("reason"))
        case let word: throw Errors.badAnswer("an action has the unknown result \(Printable.quoted(word))")
        }
    }
}

extension ActionOutcome {
    init(_ value: JSONValue) throws(BusError) {
        let fields = try AnswerFields(value, of: "an action")
        self.init(
            action: try fields.text("action"),
            result: try Result(fields),
            start: .microseconds(try fields.integer("start_us")),
            duration: .microseconds(try fields.integer("duration_us"))
        )
    }

    static func list(_ values: [JSONValue]) throws(BusError) -> [ActionOutcome] {
        var outcomes: [ActionOutcome] = []
        for value in values { outcomes.append(try ActionOutcome(value)) }
        return outcomes
    }
}

extension RunResult {
    init(_ fields: AnswerFields, subject: ArraySlice<UInt8>, body: ArraySlice<UInt8>) throws(BusError) {
        let content = try AnswerFields(body: body, of: "RESULT")
        let state: State = try fields.choice("state")
        self.init(
            run: RunID(try Name(bytes: subject)),
            state: state,
            reason: state == .completed ? "" : fields.object["reason"]?.string ?? "",
            actions: try ActionOutcome.list(try content.elements("actions")),
            outputs: content.object["outputs"]?.object ?? [:],
            abandoned: try content.texts("abandoned")
        )
    }
}

extension Evaluation {
    init(_ fields: AnswerFields, body: ArraySlice<UInt8>) throws(BusError) {
        guard case .array(let values) = try JSONValue(parsing: body, as: "the body of the answer EVALUATED") else {
            throw Errors.badAnswer("the body of the answer EVALUATED is not an array")
        }
        var monitors: [Monitor] = []
        for value in values {
            let monitor = try AnswerFields(value, of: "a monitor in the answer EVALUATED")
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

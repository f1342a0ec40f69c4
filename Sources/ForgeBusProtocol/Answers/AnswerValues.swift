// Answers as one JSON object each, for programs: the subject, then the members of the attributes and the body, in the
// words of `Protocol.md`.
extension Welcome {
    /// The answer as one object.
    public var json: JSONObject { JSONObject { write(to: &$0) } }
}

extension RunProgress.Change {
    /// The change as one object: its word, under `key`, and the members of PROGRESS.
    public func json(naming key: StaticString = "state") -> JSONObject {
        JSONObject { write(to: &$0, naming: key) }
    }
}

extension RunResult {
    /// The answer as one object.
    public var json: JSONObject {
        JSONObject { object in
            object.add("run", run.text)
            write(to: &object)
            write(toBody: &object)
        }
    }
}

extension Evaluation.Monitor {
    /// The monitor's part as one object.
    public var json: JSONObject { JSONObject { write(to: &$0) } }
}

extension VerdictReport {
    /// The answer as one object.
    public var json: JSONObject {
        JSONObject { object in
            object.add("signal", signal.text)
            write(to: &object)
        }
    }
}

extension StateReport {
    /// The answer as one object.
    public var json: JSONObject {
        JSONObject { object in
            if let run { object.add("run", run.text) }
            write(to: &object)
        }
    }
}

extension BusEvent {
    /// The answer as one object, always with `lost`, and the event's body under `body`.
    public var json: JSONObject {
        [
            "subject": .string(subject.text), "sequence": .integer(Int64(sequence)), "lost": .integer(Int64(lost)),
            "body": .object(body),
        ]
    }
}

// These properties give programs an answer as one JSON object, with the words of `Protocol.md`. The object has the
// subject first, then the members of the attributes and the body.
extension Welcome {
    /// The answer as one JSON object.
    public var json: JSONObject { JSONObject { write(to: &$0) } }
}

extension RunProgress.Change {
    /// The change as one JSON object: the change's word under `key`, then the other members, as in PROGRESS.
    public func json(naming key: StaticString = "state") -> JSONObject {
        JSONObject { write(to: &$0, naming: key) }
    }
}

extension RunResult {
    /// The answer as one JSON object.
    public var json: JSONObject {
        JSONObject { object in
            object.add("run", run.text)
            write(to: &object)
            write(toBody: &object)
        }
    }
}

extension Evaluation.Monitor {
    /// The monitor's outcome as one JSON object.
    public var json: JSONObject { JSONObject { write(to: &$0) } }
}

extension VerdictReport {
    /// The answer as one JSON object.
    public var json: JSONObject {
        JSONObject { object in
            object.add("signal", signal.text)
            write(to: &object)
        }
    }
}

extension StateReport {
    /// The answer as one JSON object.
    public var json: JSONObject {
        JSONObject { object in
            if let run { object.add("run", run.text) }
            write(to: &object)
        }
    }
}

extension BusEvent {
    /// The event as one JSON object with the members `subject`, `sequence`, `lost` and `body`, even if `lost` is zero.
    public var json: JSONObject {
        [
            "subject": .string(subject.text), "sequence": .integer(Int64(sequence)), "lost": .integer(Int64(lost)),
            "body": .object(body),
        ]
    }
}

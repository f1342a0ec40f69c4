package import ForgeBusProtocol

extension FleetReport {
    /// The report as JSON: its summary, and the lines, exceptions first.
    package var json: JSONObject {
        var json = summary
        json["items"] = .array(lines.map { .object($0.json) })
        return json
    }

    /// How many workers there are in each state, by the worst state of each.
    package var summary: JSONObject {
        let counts = counts.sorted { $0.key < $1.key }.reduce(into: JSONObject()) { object, count in
            object[count.key.rawValue] = .integer(Int64(count.value))
        }
        return [
            "outcome": .string(outcome.word), "workers": .integer(Int64(workers.count)), "counts": .object(counts),
        ]
    }
}

extension FleetReport.Line {
    /// The line as JSON; members without a value are absent.
    package var json: JSONObject {
        var json: JSONObject = ["worker": .string(worker.text), "state": .string(state.rawValue)]
        json["subject"] = subject.map { .string($0) }
        json["reason"] = reason.map { .string($0) }
        json["began_ago_ms"] = beganAgo.map { .integer($0.milliseconds) }
        if failures > 0 { json["failures"] = .integer(Int64(failures)) }
        json["failed_at_ms"] = failedUnixMilliseconds.map { .integer($0) }
        json["paused"] = (pause?.json).map { .object($0) }
        if !details.isEmpty { json["details"] = .object(details) }
        return json
    }
}

extension FleetState.Class {
    fileprivate var word: String {
        switch self {
        case .good: "good"
        case .nothing: "nothing"
        case .refused: "refused"
        case .open: "open"
        case .bad: "bad"
        }
    }
}

package import ForgeBusProtocol

extension FleetReport {
    /// The report as JSON: how many workers are in each state, and the lines, exceptions first.
    package var json: JSONObject {
        var counts = JSONObject()
        for (state, count) in self.counts.sorted(by: { $0.key < $1.key }) {
            counts[state.rawValue] = .integer(Int64(count))
        }
        return [
            "outcome": .string(outcome.word), "counts": .object(counts),
            "items": .array(lines.map { .object($0.json) }),
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

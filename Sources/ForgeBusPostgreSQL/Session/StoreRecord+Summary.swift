#if PostgreSQL
import ForgeBusProtocol
import ForgeBusStore

extension StoreRecord {
    /// What the views show of the record; nil for a record that no view shows.
    var summary: JSONObject? {
        switch self {
        case .run(let record): record.summary
        case .progress(let record): record.summary
        case .signal(let record): record.state.summary
        case .request, .debt, .mode, .requested, .trouble, .pause, .texts: nil
        }
    }
}

extension RunRecord {
    fileprivate var summary: JSONObject {
        var summary: JSONObject = [
            "pipeline": .string(pipeline.text), "principal": .readable(principal), "accepted": .integer(accepted),
        ]
        if let via { summary["via"] = .readable(via) }
        guard let end else { return summary }
        summary["state"] = .string(end.result.state.rawValue)
        if !end.result.reason.isEmpty { summary["reason"] = .readable(end.result.reason) }
        summary["ended"] = .integer(end.ended)
        return summary
    }
}

extension ProgressRecord {
    fileprivate var summary: JSONObject {
        switch state {
        case .executing: ["state": "executing"]
        case .waiting(let signal): ["state": "waiting", "reason": .string(signal.text)]
        case .awaiting(let run): ["state": "awaiting", "reason": .string(run.text)]
        case .retrying: ["state": "retrying"]
        case .parked(let reason, _): ["state": "parked", "reason": .readable(reason)]
        case .stopping(_, let reason): ["state": "stopping", "reason": .readable(reason)]
        }
    }
}

extension SignalRecord.State {
    fileprivate var summary: JSONObject {
        switch self {
        case .waiting(let wait, let deadline):
            var summary = wait.summary
            summary["state"] = "waiting"
            summary["deadline"] = deadline.map { .integer($0) }
            return summary
        case .settled(let wait, let ending, _):
            var summary = wait.summary
            switch ending {
            case .decided(let outcome, let principal, _, let time):
                summary["state"] = if case .approved = outcome { "approved" } else { "rejected" }
                summary["principal"] = .readable(principal)
                summary["ended"] = .integer(time)
            case .expired: summary["state"] = "expired"
            case .closed: summary["state"] = "closed"
            }
            return summary
        case .early(let early): return ["state": "early", "votes": .integer(Int64(early.count))]
        }
    }
}

extension SignalRecord.Wait {
    fileprivate var summary: JSONObject {
        var summary: JSONObject = ["votes": .integer(Int64(votes.count))]
        if case .action(let run, let action) = owner {
            summary["run"] = .string(run.text)
            summary["action"] = .readable(action)
        }
        summary["message"] = message.map { .readable($0) }
        summary["opened"] = .integer(opened)
        return summary
    }
}

extension JSONValue {
    /// A text without zero bytes, which a text of PostgreSQL cannot contain.
    fileprivate static func readable(_ text: String) -> JSONValue {
        .string(text.utf8.contains(0) ? text.replacing("\0", with: "\u{FFFD}") : text)
    }
}
#endif

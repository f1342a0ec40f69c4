import ForgeBusProtocol
import Foundation

/// The parts of pages, as their templates take them.
extension ConsoleReader {
    /// A gate as a card, with the form that decides it if the sender may decide it.
    func card(_ gate: JSONObject, _ index: Int) -> [String: Any] {
        var card: [String: Any] = gate.texts(["signal", "message", "run", "title", "requester"])
        card["index"] = "\(index)"
        card["key"] = RequestID.random().text
        card["opened"] = time(gate, "opened_at_ms")
        card["deadline"] = time(gate, "deadline_at_ms")
        card["mayDecide"] = gate.you == "may_decide"
        card["hasVoted"] = gate.you == "voted"
        card["mayNot"] = gate.you == "may_not"
        if let need = gate["approvals"]?.integer {
            card["isQuorum"] = true
            card["have"] = "\(gate.approvalCount)"
            card["need"] = "\(need)"
        }
        card["votes"] = (gate["votes"]?.array ?? []).compactMap(\.object).map { $0.texts(["by", "decision"]) }
        card["expects"] = (gate["expects"]?.object?.entries ?? []).map { entry -> [String: Any] in
            [
                "name": entry.key, "index": "\(index)", "type": entry.value.object?["type"]?.string ?? "",
                "required": entry.value.object?["required"]?.bool == true,
            ]
        }
        return card
    }

    /// A question of a run and its answer: every vote, or the one decision.
    func answer(_ signal: JSONObject) -> [String: Any] {
        var answer: [String: Any] = signal.texts(["action", "state", "message", "why"])
        var votes = (signal["votes"]?.array ?? []).compactMap(\.object)
        if votes.isEmpty, signal["by"] != nil {
            var only = signal
            (only["decision"], only["at_ms"]) = (signal["state"], signal["decided_at_ms"])
            votes = [only]
        }
        answer["votes"] = votes.map { vote -> [String: Any] in
            var row: [String: Any] = vote.texts(["by", "via", "decision"])
            row["when"] = time(vote, "at_ms")
            row["said"] = vote["reason"]?.string ?? vote["value"].map { $0.string ?? "\($0)" }
            return row
        }
        return answer
    }

    func row(_ run: JSONObject) -> [String: Any] {
        var row: [String: Any] = run.texts(["run", "title", "pipeline", "state", "principal", "action", "reason"])
        row["tone"] = Tone.of(run["state"]?.string)
        row["accepted"] = time(run, "accepted_at_ms")
        row["ended"] = time(run, "ended_at_ms")
        row["note"] = run["reason"]?.string ?? run["signal"]?.string ?? run["action"]?.string
        return row
    }

    func monitor(_ monitor: MonitorItem) -> [String: Any] {
        var row: [String: Any] = ["monitor": monitor.name.text, "state": monitor.state.word]
        row["tone"] = monitor.failure == nil ? Tone.of(monitor.state.word) : "bad"
        row["last"] = monitor.last.map { last -> [String: Any] in
            let began = Moment(date: now.addingTimeInterval(-(last.beganAgo / .seconds(1))))
            return ["state": last.state.word, "began": began.html(at: now)]
        }
        row["failure"] = monitor.failure.map { failure -> [String: Any] in
            ["count": "\(failure.count)", "when": time(failure.unixMilliseconds), "reason": failure.reason]
        }
        row["next"] = monitor.nextUnixMilliseconds.map { time($0) } ?? ""
        row["paused"] = monitor.pause.map(pause)
        let topics = monitor.topics
        row["topics"] = topics.map { ["topic": $0] }
        // A topic that the monitor follows and that is no pattern, or one that its first pattern matches.
        let plain = topics.first { !$0.contains("*") && !$0.contains(">") }
        row["evaluates"] =
            plain ?? topics.first.map { $0.replacing("*", with: "console").replacing(">", with: "console") }
        return row
    }

    /// Who paused a pipeline or monitor, until when, and why.
    func pause(_ pause: PauseItem) -> [String: Any] {
        var row: [String: Any] = ["by": pause.principal ?? "somebody"]
        row["until"] = pause.untilUnixMilliseconds.map { time($0) }
        row["reason"] = pause.reason
        return row
    }

    func rows(_ object: JSONObject?) -> [[String: Any]] {
        (object?.entries ?? []).map { ["key": $0.key, "value": $0.value.string ?? "\($0.value)"] }
    }

    /// Adds the history of an item to a page, and returns it; a history that cannot be read is left out.
    @discardableResult
    func addHistory(of name: Name, to data: inout [String: Any]) async -> [JSONObject] {
        let entries = ((try? await show(ShowRequest(.history, name)))?["entries"]?.array ?? []).compactMap(\.object)
        let shown: Set = ["at_ms", "event", "run", "signal", "monitor", "request", "source"]
        data["history"] = entries.map { entry -> [String: Any] in
            let event = entry["event"]?.string ?? ""
            let details = entry.entries.filter { !shown.contains($0.key) }.map { detail in
                let key = detail.key.hasSuffix("_ms") ? String(detail.key.dropLast(3)) : detail.key
                return "\(key.replacing("_", with: " ")) \(Self.text(detail))"
            }
            return [
                "when": time(entry, "at_ms") ?? "", "event": event.replacing("_", with: " "), "tone": Tone.of(event),
                "details": details.joined(separator: " · "),
            ]
        }
        data["hasHistory"] = !entries.isEmpty
        return entries
    }

    /// A detail of a history as text; a time span in milliseconds as a person says it.
    private static func text(_ entry: JSONObject.Entry) -> String {
        if entry.key.hasSuffix("_ms"), let time = entry.value.integer {
            return entry.key.hasSuffix("_at_ms") ? Moment(unixMilliseconds: time).exact : TimeLine.span(time)
        }
        return entry.value.string ?? "\(entry.value)"
    }

    func time(_ object: JSONObject, _ key: String) -> String? {
        object[key]?.integer.map { time($0) }
    }

    private func time(_ unixMilliseconds: Int64) -> String { Moment(unixMilliseconds: unixMilliseconds).html(at: now) }
}

/// The colour with which a page shows a state or an event.
enum Tone {
    static func of(_ word: String?) -> String {
        switch word {
        case "completed", "approved", "action_completed", "cycle_ran": "good"
        case "failed", "timed_out", "lost", "rejected", "expired", "parked", "overdue", "action_failed", "cycle_failed",
            "taken_up_again":
            "bad"
        case "waiting", "retrying", "queued", "owed": "wait"
        case "running": "live wait"
        default: ""
        }
    }
}

extension JSONObject {
    /// Whether the sender may decide a gate: `may_decide`, `voted` or `may_not`.
    var you: String? { self["you"]?.string }

    var approvalCount: Int {
        (self["votes"]?.array ?? []).count { $0.object?["decision"]?.string == "approved" }
    }

    /// The texts under some keys; a key without a text is left out.
    func texts(_ keys: [String]) -> [String: Any] {
        var texts: [String: Any] = [:]
        for key in keys { if let text = self[key]?.string, !text.isEmpty { texts[key] = text } }
        return texts
    }
}

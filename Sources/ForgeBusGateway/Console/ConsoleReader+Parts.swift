import ForgeBusProtocol
import Foundation

/// The parts of pages, as their templates take them.
extension ConsoleReader {
    /// A gate as a card, with the form that decides it if the sender may decide it.
    func card(_ gate: SignalItem, _ index: Int) -> [String: Any] {
        var card = texts([
            "signal": gate.id.text, "message": gate.message, "run": gate.run?.text, "title": gate.title,
            "requester": gate.requester,
        ])
        card["index"] = "\(index)"
        card["key"] = RequestID.random().text
        card["opened"] = gate.openedUnixMilliseconds.map { time($0) }
        card["deadline"] = gate.deadlineUnixMilliseconds.map { time($0) }
        card["mayDecide"] = gate.you == .mayDecide
        card["hasVoted"] = gate.you == .voted
        card["mayNot"] = gate.you == .mayNot
        let rule = gate.rule ?? .anybody
        if rule.isQuorum {
            card["isQuorum"] = true
            card["have"] = "\(gate.approvalCount)"
            card["need"] = "\(rule.approvals)"
        }
        card["votes"] = (gate.votes ?? []).map { ["by": $0.principal, "decision": $0.decision?.rawValue ?? ""] }
        card["expects"] = (rule.value ?? [:]).sorted { $0.key < $1.key }.map { name, member -> [String: Any] in
            ["name": name, "index": "\(index)", "type": member.type.rawValue, "required": member.isRequired]
        }
        return card
    }

    /// A question of a run and its answer: every vote, or the one decision.
    func answer(_ signal: EndedSignalItem) -> [String: Any] {
        var answer = texts([
            "action": signal.action, "state": signal.state?.rawValue, "message": signal.message, "why": signal.why,
        ])
        if let votes = signal.votes, !votes.isEmpty {
            answer["votes"] = votes.map {
                vote($0.principal, $0.via, $0.decision?.rawValue, $0.unixMilliseconds, $0.value, $0.reason)
            }
        } else if let by = signal.by {
            let when = signal.decidedUnixMilliseconds
            answer["votes"] = [vote(by, signal.via, signal.state?.rawValue, when, signal.value, signal.reason)]
        }
        return answer
    }

    private func vote(
        _ by: String,
        _ via: String?,
        _ decision: String?,
        _ unixMilliseconds: Int64?,
        _ value: JSONValue?,
        _ reason: String?
    ) -> [String: Any] {
        var row = texts(["by": by, "via": via, "decision": decision])
        row["when"] = unixMilliseconds.map { time($0) }
        row["said"] = reason ?? value.map { $0.string ?? "\($0)" }
        return row
    }

    func row(_ run: RunItem) -> [String: Any] {
        let state = run.json["state"]?.string
        var row = texts([
            "run": run.id.text, "title": run.title, "pipeline": run.pipeline.text, "state": state,
            "principal": run.principal, "action": run.action, "reason": run.reason,
        ])
        row["tone"] = Tone.of(state)
        row["accepted"] = time(run.acceptedUnixMilliseconds)
        row["ended"] = run.endedUnixMilliseconds.map { time($0) }
        row["note"] = run.reason ?? run.signal?.text ?? run.action
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

    func rows(_ object: JSONObject) -> [[String: Any]] {
        object.entries.map { ["key": $0.key, "value": $0.value.string ?? "\($0.value)"] }
    }

    /// Adds the history of an item to a page, and returns it; a history that cannot be read is left out.
    @discardableResult
    func addHistory(of name: Name, to data: inout [String: Any]) async -> [HistoryEntryItem] {
        let entries = (try? await show(ShowRequest(.history, name))).flatMap { try? HistoryItem($0) }?.entries ?? []
        data["history"] = entries.map { entry -> [String: Any] in
            let principal = entry.principal.map { ["principal \($0)"] } ?? []
            let details = entry.details.entries.map { detail in
                let key = detail.key.hasSuffix("_ms") ? String(detail.key.dropLast(3)) : detail.key
                return "\(key.replacing("_", with: " ")) \(Self.text(detail))"
            }
            return [
                "when": time(entry.unixMilliseconds), "event": entry.event.replacing("_", with: " "),
                "tone": Tone.of(entry.event), "details": (principal + details).joined(separator: " · "),
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

    func time(_ unixMilliseconds: Int64) -> String { Moment(unixMilliseconds: unixMilliseconds).html(at: now) }
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

extension Item<SignalMembers> {
    /// How many have approved so far.
    var approvalCount: Int { (self.votes ?? []).count { $0.decision == .approved } }
}

extension ConsoleReader {
    /// The texts for a template; one that is nil or empty is left out.
    func texts(_ texts: [String: String?]) -> [String: Any] {
        texts.compactMapValues { $0.flatMap { $0.isEmpty ? nil : $0 } }
    }
}

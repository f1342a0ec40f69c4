import ForgeBusProtocol

/// The table of `forgebus list`: a row for each item, or for each early decision.
struct ItemTable {
    private let kind: ListKind

    init(_ kind: ListKind) { self.kind = kind }

    /// The table's lines, wrapped to the terminal's width if there is a terminal.
    ///
    /// - Throws: `BusError` with code `bad_answer` if an item cannot be read.
    func lines(of items: [JSONObject]) throws(BusError) -> [String] {
        let isTitled = kind == .runs && items.contains { $0["title"] != nil }
        var table = Table(header(isTitled: isTitled))
        for item in items { for row in try rows(item, isTitled: isTitled) { table.add(row) } }
        return table.lines(width: Terminal.isInteractive ? max(60, Terminal.columns) : nil)
    }

    /// The table's columns; runs have one for their titles if a listed run has a title.
    private func header(isTitled: Bool) -> [Table.Column] {
        let (short, wide): ([String], [String]) =
            switch kind {
            case .runs: (["RUN", "PIPELINE", "STATE", "AGE", "REQUESTER"], (isTitled ? ["TITLE"] : []) + ["DETAIL"])
            case .signals: (["SIGNAL", "KIND", "AGE", "EXPIRES", "FOR"], ["MESSAGE"])
            case .early: (["SIGNAL", "DECISION", "BY", "DROPPED"], ["USED BY"])
            case .monitors: (["MONITOR", "STATE", "FAILURES", "LAST", "NEXT"], ["TOPICS", "WHY"])
            case .pipelines: (["PIPELINE", "STATE"], ["SEEDS", "OUTPUTS"])
            }
        return short.map { .short($0) } + wide.map { .wide($0) }
    }

    private func rows(_ item: JSONObject, isTitled: Bool) throws(BusError) -> [[String]] {
        func text(_ key: String) -> String { item[key]?.string ?? "" }
        func texts(_ key: String) -> String { (item[key]?.array ?? []).compactMap(\.string).joined(separator: " ") }
        let name = item.entries.first?.value.string ?? ""
        switch kind {
        case .runs:
            let age = Age.since(item["accepted_at_ms"]?.integer)
            let row = [name, text("pipeline"), text("state"), age, text("principal")]
            return [row + (isTitled ? [text("title")] : []) + [Self.place(of: item)]]
        case .signals:
            let owner = item["run"]?.string ?? text("process")
            let (age, end) = (Age.since(item["opened_at_ms"]?.integer), Age.until(item["deadline_at_ms"]?.integer))
            return [[name, text("kind"), age, end.isEmpty ? "never" : end, owner, text("message")]]
        case .early:
            return (item["decisions"]?.array ?? []).compactMap(\.object).map { decision in
                let use = decision["asked"]?.bool == false ? "a plain signal only" : "a gate or plain signal"
                let (word, by) = (decision["decision"]?.string ?? "", decision["by"]?.string ?? "")
                return [name, word, by, Age.until(decision["until_ms"]?.integer), use]
            }
        case .monitors:
            return [Self.row(try MonitorItem(item))]
        case .pipelines:
            let seeds = (item["seeds"]?.array ?? []).compactMap(\.object).map(Self.seed).joined(separator: " ")
            let state = item.pause.map { "paused\(Self.rest(of: $0))" } ?? "not paused"
            return [[name, state, seeds, texts("outputs")]]
        }
    }

    /// Where a run is, and why: its action, what the action waits for, and the reason of a failure.
    static func place(of run: JSONObject) -> String {
        let action = run["action"]?.string
        let reason = run["reason"]?.string
        switch run["state"]?.string {
        case "waiting": return run["signal"]?.string.map { "waits for \($0)" } ?? action ?? ""
        case "retrying":
            let next = "next attempt \(Age.until(run["due_at_ms"]?.integer))"
            return "\(action ?? ""): \(reason.map { joined($0, next) } ?? next)"
        case "queued": return run.pause.map { "its pipeline was \(text(of: $0))" } ?? action ?? ""
        case _: return [action, reason].compactMap(\.self).joined(separator: ": ")
        }
    }

    /// The two texts, joined by a semicolon; a full stop at the end of the first one is left out.
    static func joined(_ first: String, _ second: String) -> String {
        let isSentence = first.hasSuffix(".") && !first.hasSuffix("..")
        return "\(isSentence ? String(first.dropLast()) : first); \(second)"
    }

    private static func row(_ monitor: MonitorItem) -> [String] {
        let failures = monitor.failure.map { "\($0.count)" } ?? ""
        let last = monitor.last.map { "\($0.state) \(Age.text($0.beganAgo.milliseconds)) ago" } ?? ""
        let next = Age.until(monitor.nextUnixMilliseconds)
        let topics = monitor.topics.joined(separator: " ")
        return [monitor.name.text, monitor.state.word, failures, last, next, topics, why(monitor)]
    }

    /// Why a monitor needs attention: who paused it, and how its cycles fail; empty if it is not paused and none fails.
    static func why(_ monitor: MonitorItem) -> String {
        guard let pause = monitor.pause.map(text) else { return trouble(of: monitor) }
        return monitor.failure == nil ? pause : joined(pause, trouble(of: monitor))
    }

    /// How long a pause still lasts, such as `, 2h left`; empty if the pause does not end by itself.
    private static func rest(of pause: PauseItem) -> String {
        pause.untilUnixMilliseconds.map { ", \(Age.text($0 - Age.now)) left" } ?? ""
    }

    /// Who paused something, since when, for how much longer and why: `paused by ada 5m ago, 2h left: incident 4711`.
    static func text(of pause: PauseItem) -> String {
        let reason = pause.reason.map { ": \($0)" } ?? ""
        return "paused by \(pause.principal ?? "somebody") \(Age.since(pause.sinceUnixMilliseconds)) ago"
            + "\(rest(of: pause))\(reason)"
    }

    /// Why a monitor's cycles fail, how often in a row, and when last; empty if the latest cycle did not fail.
    static func trouble(of monitor: MonitorItem) -> String {
        monitor.failure.map { text(of: $0, "\(Age.since($0.unixMilliseconds)) ago") } ?? ""
    }

    /// How often in a row a monitor's cycles have failed, and why; `time` says when.
    static func text(of failure: MonitorItem.Failure, _ time: String = "") -> String {
        let times = failure.count == 1 ? "failed" : "failed \(failure.count) times in a row"
        let when = time.isEmpty ? "" : failure.count == 1 ? " \(time)" : ", last \(time)"
        return "\(times)\(when): \(failure.reason)"
    }

    /// A seed as a request writes it: `version` if it is required, `[replicas=2]` if it may be left out.
    private static func seed(_ seed: JSONObject) -> String {
        let key = seed["key"]?.string ?? ""
        if seed["required"]?.bool == true { return key }
        return "[\(key)\(seed["default"].map { "=\($0.string ?? $0.description)" } ?? "")]"
    }
}

extension JSONObject {
    /// The pause of a pipeline, or of a run's pipeline; nil if it is not paused.
    var pause: PauseItem? { self["paused"].flatMap { try? PauseItem($0) } }
}

import ForgeBusProtocol

/// The table of `forgebus list`: a row for each item, or for each early decision.
struct ItemTable {
    private let kind: ListKind

    init(_ kind: ListKind) { self.kind = kind }

    /// The table's lines, wrapped to the terminal's width if there is a terminal.
    func lines(of items: [JSONObject]) -> [String] {
        var table = Table(header)
        for item in items { for row in rows(item) { table.add(row) } }
        return table.lines(width: Terminal.isInteractive ? max(60, Terminal.columns) : nil)
    }

    private var header: [Table.Column] {
        let (short, wide): ([String], [String]) =
            switch kind {
            case .runs: (["RUN", "PIPELINE", "STATE", "AGE", "REQUESTER"], ["DETAIL"])
            case .signals: (["SIGNAL", "KIND", "AGE", "EXPIRES", "FOR"], ["MESSAGE"])
            case .early: (["SIGNAL", "DECISION", "BY", "DROPPED"], ["USED BY"])
            case .monitors: (["MONITOR", "STATE", "CYCLES", "NEXT"], ["TOPICS", "TROUBLE"])
            case .pipelines: (["PIPELINE", "STATE"], ["SEEDS", "OUTPUTS"])
            }
        return short.map { .short($0) } + wide.map { .wide($0) }
    }

    private func rows(_ item: JSONObject) -> [[String]] {
        func text(_ key: String) -> String { item[key]?.string ?? "" }
        func texts(_ key: String) -> String { (item[key]?.array ?? []).compactMap(\.string).joined(separator: " ") }
        let name = item.entries.first?.value.string ?? ""
        switch kind {
        case .runs:
            let age = Age.since(item["accepted_at_ms"]?.integer)
            return [[name, text("pipeline"), text("state"), age, text("principal"), Self.place(of: item)]]
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
            let next = Age.until(item["next_at_ms"]?.integer)
            let cycles = item["cycles"]?.integer.map { "\($0)" } ?? ""
            return [[name, Self.state(ofMonitor: item), cycles, next, texts("topics"), Self.trouble(of: item)]]
        case .pipelines:
            let seeds = (item["seeds"]?.array ?? []).compactMap(\.object).map(Self.seed).joined(separator: " ")
            let state = item["paused"]?.object.map { "paused\(Self.rest(ofPause: $0))" } ?? "not paused"
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
        case "queued": return run["paused"]?.object.map { "its pipeline was \(text(ofPause: $0))" } ?? action ?? ""
        case _: return [action, reason].compactMap(\.self).joined(separator: ": ")
        }
    }

    /// The two texts, joined by a semicolon; a full stop at the end of the first one is left out.
    static func joined(_ first: String, _ second: String) -> String {
        let isSentence = first.hasSuffix(".") && !first.hasSuffix("..")
        return "\(isSentence ? String(first.dropLast()) : first); \(second)"
    }

    /// The state of a monitor; `failing` instead of `idle` or `owed` if the latest cycle failed.
    private static func state(ofMonitor item: JSONObject) -> String {
        if let pause = item["paused"]?.object { return "paused\(rest(ofPause: pause))" }
        let state = item["state"]?.string ?? ""
        return item["failures"] != nil && ["idle", "owed"].contains(state) ? "failing" : state
    }

    /// How long a pause still lasts, such as `, 2h left`; empty if the pause does not end by itself.
    private static func rest(ofPause pause: JSONObject) -> String {
        pause["until_ms"]?.integer.map { ", \(Age.text($0 - Age.now)) left" } ?? ""
    }

    /// Who paused something, since when, for how much longer and why: `paused by ada 5m ago, 2h left: incident 4711`.
    static func text(ofPause pause: JSONObject) -> String {
        let rest = rest(ofPause: pause)
        let reason = pause["reason"]?.string.map { ": \($0)" } ?? ""
        return "paused by \(pause["by"]?.string ?? "somebody") \(Age.since(pause["since_ms"]?.integer)) ago"
            + "\(rest)\(reason)"
    }

    /// Why a monitor's cycles fail, and how often in a row; empty if the latest cycle did not fail.
    static func trouble(of monitor: JSONObject) -> String {
        guard monitor["failures"] != nil else { return "" }
        return failure(of: monitor, "\(Age.since(monitor["failed_at_ms"]?.integer)) ago")
    }

    /// How often in a row a monitor's cycles have failed, and why; `time` says when.
    static func failure(of monitor: JSONObject, _ time: String = "") -> String {
        let failures = monitor["failures"]?.integer ?? 1
        let times = failures == 1 ? "failed" : "failed \(failures) times in a row"
        let when = time.isEmpty ? "" : failures == 1 ? " \(time)" : ", last \(time)"
        return "\(times)\(when): \(monitor["reason"]?.string ?? "")"
    }

    /// A seed as a request writes it: `version` if it is required, `[replicas=2]` if it may be left out.
    private static func seed(_ seed: JSONObject) -> String {
        let key = seed["key"]?.string ?? ""
        if seed["required"]?.bool == true { return key }
        return "[\(key)\(seed["default"].map { "=\($0.string ?? $0.description)" } ?? "")]"
    }
}

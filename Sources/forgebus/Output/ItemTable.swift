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
        switch kind {
        case .runs:
            let run = try RunItem(item)
            let (state, age) = (item["state"]?.string ?? "", Age.since(run.acceptedUnixMilliseconds))
            let row = [run.id.text, run.pipeline.text, state, age, run.principal]
            return [row + (isTitled ? [run.title ?? ""] : []) + [Self.place(of: run)]]
        case .signals:
            let signal = try SignalItem(item)
            let (age, end) = (Age.since(signal.openedUnixMilliseconds), Age.until(signal.deadlineUnixMilliseconds))
            let owner = signal.run?.text ?? signal.process ?? ""
            let row = [signal.id.text, signal.kind?.rawValue ?? "", age, end.isEmpty ? "never" : end]
            return [row + [owner, signal.message ?? ""]]
        case .early:
            let early = try EarlyItem(item)
            return early.decisions.map { decision in
                let use = decision.isAsked ? "a gate or plain signal" : "a plain signal only"
                let word = decision.decision?.rawValue ?? ""
                return [early.id.text, word, decision.principal, Age.until(decision.untilUnixMilliseconds), use]
            }
        case .monitors:
            return [Self.row(try MonitorItem(item))]
        case .pipelines:
            let pipeline = try PipelineItem(item)
            let seeds = pipeline.seeds.map(Self.seed).joined(separator: " ")
            let state = pipeline.pause.map { "paused\(Self.rest(of: $0))" } ?? "not paused"
            return [[pipeline.name.text, state, seeds, pipeline.outputs.joined(separator: " ")]]
        }
    }

    /// Where a run is, and why: its action, what the action waits for, and the reason of a failure.
    static func place(of run: RunItem) -> String {
        let (action, reason) = (run.action, run.reason)
        switch run.state {
        case .waiting: return run.signal.map { "waits for \($0)" } ?? action ?? ""
        case .retrying:
            let next = "next attempt \(Age.until(run.dueUnixMilliseconds))"
            return "\(action ?? ""): \(reason.map { joined($0, next) } ?? next)"
        case .queued: return obstacle(to: run) ?? action ?? ""
        case _: return [action, reason].compactMap(\.self).joined(separator: ": ")
        }
    }

    /// Why a queued run gets no slot: its pipeline is paused, or another run holds its key; nil if it waits for a slot only.
    static func obstacle(to run: RunItem) -> String? {
        if let pause = run.pause { return "its pipeline was \(text(of: pause))" }
        return run.holder.map { "waits for the end of \($0), which has the key \(Printable.quoted(run.key ?? ""))" }
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
    private static func seed(_ seed: SeedItem) -> String {
        if seed.isRequired { return seed.key }
        return "[\(seed.key)\(seed.defaultValue.map { "=\($0.string ?? $0.description)" } ?? "")]"
    }
}

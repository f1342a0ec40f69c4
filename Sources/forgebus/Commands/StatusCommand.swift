import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The command `forgebus status`, with its arguments and options.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract:
            "Shows whether the worker takes work, its problems, the monitors that fail, and the amount of its work.",
        discussion: """
            Exits 0 if the worker takes work, and 75 if it starts or drains, if its disk is nearly full, if its store \
            is slow, or if it refuses requests until its store has caught up. With --strict, it exits 1 if a monitor \
            fails; otherwise as without.

            Example: forgebus status
            """
    )

    @Flag(help: "Exit 1 if the latest cycle of a monitor failed or exceeded its time limit.")
    var strict = false

    @OptionGroup var client: ClientOptions

    func run() async throws {
        try await client.ask(.one) { bus, output throws(BusError) in
            let worker = try await bus.worker()
            let lines = try Self.lines(worker)
            output.show(lines, worker)
            if strict, worker["checks"]?.object?["monitors"] == "failing" { return .runFailed }
            return Self.takesWork(worker) ? .done : .tryAgain
        }
    }

    private static func takesWork(_ worker: JSONObject) -> Bool {
        let checks = worker["checks"]?.object ?? [:]
        return worker["state"] == "ready" && ["disk", "store", "backlog"].allSatisfy { checks[$0] == "ok" }
    }

    private static func lines(_ worker: JSONObject) throws(BusError) -> [String] {
        let checks = worker["checks"]?.object ?? [:]
        let time = worker["uptime_ms"]?.integer.map { ", up \(Age.text($0))" } ?? ""
        let (name, state) = (worker["worker"]?.string ?? "", worker["state"]?.string ?? "")
        var lines = ["\(name) is \(state), version \(worker["version"]?.string ?? "")\(time)"]
        func add(_ label: String, _ text: String) {
            lines += (label.padded(to: 12) + text).wrappedForTerminal(indent: 12)
        }
        func number(_ key: String, in object: JSONObject? = nil) -> Int64 { (object ?? worker)[key]?.integer ?? 0 }
        for (key, meaning) in meanings {
            let since = worker["\(key)_since_ms"]?.integer.map { " for \(Age.since($0))" } ?? ""
            let word = checks[key]?.string ?? ""
            add(key, word == "ok" || word.isEmpty ? word : "\(word)\(since): \(meaning)")
        }
        let failing = try (worker["failing"]?.array ?? []).compactMap(\.object).map(MonitorItem.init)
        // The list lacks the monitors that the sender may not read.
        let hidden =
            "of which at least one fails; to see which, ask the worker's operator for the right `read` on all monitors"
        let rest = checks["monitors"] == "failing" ? hidden : "none fails"
        add(
            "monitors",
            failing.isEmpty
                ? "\(number("monitors")), \(rest)"
                : "\(failing.count) of \(number("monitors")) \(failing.count == 1 ? "fails" : "fail")"
        )
        for monitor in failing {
            let next = Age.until(monitor.nextUnixMilliseconds)
            let trouble = "\(monitor.name) \(ItemTable.trouble(of: monitor))"
            add("", next.isEmpty ? trouble : ItemTable.joined(trouble, "next cycle \(next)"))
        }
        for pause in (worker["paused"]?.array ?? []).compactMap(\.object) {
            let item = try PauseItem(.object(pause))
            add("paused", "\(pause["subject"]?.string ?? "") was \(ItemTable.text(of: item))")
        }
        for failing in (worker["failing_events"]?.array ?? []).compactMap(\.object) {
            let text = { (key: String) in failing[key]?.string ?? "" }
            let failed = Errors.failedForEvent(text("run"), of: text("pipeline"), number("failures", in: failing))
            add("events", "\(failed) \(ending(text("reason")))")
        }
        if number("requested_runs") > 0 {
            add("requested", Errors.requestedRuns(number("requested_runs"), obstacle(worker, checks)))
        }
        let runs = worker["runs"]?.object
        add(
            "runs",
            "\(number("executing", in: runs)) executing, \(number("queued", in: runs)) queued, "
                + "\(number("resting", in: runs)) waiting, retrying or parked, "
                + "\(number("ended", in: runs)) ended and not yet deleted"
        )
        add("signals", "\(number("signals")) waiting")
        add("connections", "\(number("connections"))")
        add("durability", worker["durability"]?.string ?? "")
        return lines
    }

    /// How a run ended or stopped, as the end of a sentence; `reason` begins with the run's state, such as `parked: `.
    private static func ending(_ reason: String) -> String {
        let states = ["parked": "is parked", "failed": "failed", "timed_out": "timed out", "lost": "was lost"]
        guard let colon = reason.firstIndex(of: ":"), let words = states[String(reason[..<colon])] else {
            return "failed: \(reason)"
        }
        return words + reason[colon...]
    }

    /// Why requested runs cannot begin.
    private static func obstacle(_ worker: JSONObject, _ checks: JSONObject) -> String {
        if worker["state"] != "ready" { return "the worker starts or drains" }
        if checks["disk"] != "ok" { return "the disk of the worker's store is nearly full" }
        return Errors.limitOfOwedRuns
    }

    /// The checks of the worker, each with the text that people see when the check is not `ok`.
    private static let meanings = [
        ("disk", "new runs, early decisions and backups are refused; free disk space"),
        ("store", "a commit takes longer than a second; check the disk or the database of the store"),
        ("backlog", Errors.backlog),
    ]
}

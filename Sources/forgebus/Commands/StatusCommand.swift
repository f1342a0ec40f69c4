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
            let lines = Self.lines(worker)
            output.show(lines, worker.json)
            if strict, worker.checks["monitors"] == "failing" { return .runFailed }
            return Self.takesWork(worker) ? .done : .tryAgain
        }
    }

    private static func takesWork(_ worker: WorkerItem) -> Bool {
        worker.state == .ready && ["disk", "store", "backlog"].allSatisfy { worker.checks[$0] == "ok" }
    }

    private static func lines(_ worker: WorkerItem) -> [String] {
        let checks = worker.checks
        let time = worker.uptimeMilliseconds.map { ", up \(Age.text($0))" } ?? ""
        let state = worker.state?.rawValue ?? "in a state that this version does not know"
        var lines = ["\(worker.name) is \(state), version \(worker.version)\(time)"]
        func add(_ label: String, _ text: String) {
            lines += (label.padded(to: 12) + text).wrappedForTerminal(indent: 12)
        }
        func runs(_ key: String) -> Int64 { worker.runs[key]?.integer ?? 0 }
        for (key, meaning) in meanings {
            let since = worker.json["\(key)_since_ms"]?.integer.map { " for \(Age.since($0))" } ?? ""
            let word = checks[key]?.string ?? ""
            add(key, word == "ok" || word.isEmpty ? word : "\(word)\(since): \(meaning)")
        }
        let failing = worker.failing
        // The list lacks the monitors that the sender may not read.
        let hidden =
            "of which at least one fails; to see which, ask the worker's operator for the right `read` on all monitors"
        let rest = checks["monitors"] == "failing" ? hidden : "none fails"
        add(
            "monitors",
            failing.isEmpty
                ? "\(worker.monitors), \(rest)"
                : "\(failing.count) of \(worker.monitors) \(failing.count == 1 ? "fails" : "fail")"
        )
        for monitor in failing {
            let next = Age.until(monitor.nextUnixMilliseconds)
            let trouble = "\(monitor.name) \(ItemTable.trouble(of: monitor))"
            add("", next.isEmpty ? trouble : ItemTable.joined(trouble, "next cycle \(next)"))
        }
        for pause in worker.pauses { add("paused", "\(pause.subject) was \(ItemTable.text(of: pause.pause))") }
        for failing in worker.failingEvents {
            let failed = Errors.failedForEvent(failing.run, of: failing.pipeline, failing.failures)
            add("events", "\(failed) \(ending(failing.reason))")
        }
        if worker.requestedRuns > 0 {
            add("requested", Errors.requestedRuns(worker.requestedRuns, obstacle(worker)))
        }
        add(
            "runs",
            "\(runs("executing")) executing, \(runs("queued")) queued, \(runs("resting")) waiting, retrying or parked, "
                + "\(runs("ended")) ended and not yet deleted"
        )
        add("signals", "\(worker.signals) waiting")
        add("connections", "\(worker.connections ?? 0)")
        add("durability", worker.durability)
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
    private static func obstacle(_ worker: WorkerItem) -> String {
        if worker.state != .ready { return "the worker starts or drains" }
        if worker.checks["disk"] != "ok" { return "the disk of the worker's store is nearly full" }
        return Errors.limitOfOwedRuns
    }

    /// The checks of the worker, each with the text that people see when the check is not `ok`.
    private static let meanings = [
        ("disk", "new runs, early decisions and backups are refused; free disk space"),
        ("store", "a commit takes longer than a second; check the disk or the database of the store"),
        ("backlog", Errors.backlog),
    ]
}

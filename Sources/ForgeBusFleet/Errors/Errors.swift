import ForgeBusProtocol

/// The words of this module: why a worker's state is not good, in a line each.
enum Errors {
    static let timeOver = "the time was over before the worker had answered"
    static let pending = "its cycle had not ended in time"
    static let missing = "the inventory expects this monitor, and the worker does not have it"
    static let noMonitor = "none of its monitors is asked about"
    static let nothingEvaluated = "all its actions were removed, so nothing was evaluated"
    static let overdue = "its cycle did not end within its time limit"
    static let excluded = "a screen that it excludes is showing"
    static let neverEvaluated = "no cycle has ended since the worker started"
    static let notSince = "its latest cycle began before the change"
    static let uncertain = "its latest cycle began so near the change that clocks no longer tell which came first"
    static let tooOld = "the worker does not tell when its latest cycle began"

    static func noKeys(for worker: Inventory.Worker) -> BusError {
        BusError(
            .forbidden,
            "The worker \(worker.name) has a key, and this program has none to show to it.",
            next: "Give the program a key pair that the worker's access file contains."
        )
    }

    static func bodyTooLarge(_ size: Int) -> BusError {
        BusError(
            .tooLarge,
            "The hint has \(size) bytes, and at most \(WireLimits.frameSizeInBytes) are allowed.",
            next: "Send a shorter hint: monitors read the state itself elsewhere."
        )
    }

    static func silent(for time: Duration) -> String {
        "it has not answered \(FleetBoard.silentAfter) pings, for \(time.components.seconds) s so far"
    }

    static func unexpected(_ word: AnswerWord) -> String { "it sent the unexpected answer \(word.rawValue)" }

    static func wrongWorker(_ found: String, insteadOf name: Name) -> String {
        "the worker there is called \(Printable.quoted(found)), not \(Printable.quoted(name.text))"
    }

    static func failed(_ actions: [ActionOutcome]) -> String {
        let failures = actions.compactMap(\.failure).map { "\($0.action): \($0.why)" }
        return Printable.cut(failures.joined(separator: "; "), to: 512)
    }

    static func paused(_ pause: PauseItem, _ failure: String?) -> String {
        let who = pause.principal.map { "paused by \($0)" } ?? "paused"
        let why = [pause.reason.map { Printable.quoted($0) }, failure].compactMap { $0 }.joined(separator: "; ")
        return why.isEmpty ? who : "\(who): \(why)"
    }

    static func reason(of result: RunResult) -> String? {
        guard result.state != .completed else { return nil }
        return result.reason.isEmpty ? result.state.rawValue : Printable.cut(result.reason, to: 512)
    }
}

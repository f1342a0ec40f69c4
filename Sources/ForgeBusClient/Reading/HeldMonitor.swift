public import ForgeBusProtocol

/// A monitor that a worker hosts.
public struct HeldMonitor: HeldItem {
    /// The kind of list that contains monitors.
    public static var kind: ListKind { .monitors }

    /// The monitor's name.
    public let name: String
    /// The patterns of the topics that the monitor follows.
    public let topics: [String]
    /// The monitor's state; nil if the client does not know the worker's value, which ``json`` then contains.
    public let state: State?
    /// How many cycles have ended since the worker started.
    public let cycles: Int
    /// How many cycles in a row have failed or exceeded the time limit; 0 if the latest cycle did neither.
    public let failures: Int
    /// Why the latest cycle failed, or a message that it exceeded the time limit; nil if ``failures`` is 0.
    public let reason: String?
    /// When the next cycle begins, in milliseconds since 1970, by the worker's clock.
    ///
    /// It is nil if no cycle is owed and the monitor has no interval. It is also nil while a cycle is running, while an
    /// excluded screen is showing, and while the monitor is paused.
    public let nextUnixMilliseconds: Int64?
    /// The monitor's pause; nil if it is not paused.
    public let pause: HeldPause?
    /// Everything that the worker sent about the monitor.
    public let json: JSONObject

    /// The states of a monitor.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// No cycle is running, and none is owed.
        case idle
        /// No cycle is running yet, but one is owed and will begin.
        case owed
        /// A cycle is running.
        case running
        /// The running cycle has exceeded its time limit.
        case overdue
        /// A cycle is running, and another one begins when it ends.
        case runningOwed = "running, owed"
        /// The running cycle has exceeded its time limit, and another one begins when it ends.
        case overdueOwed = "overdue, owed"
        /// No cycle begins, because a screen that the monitor excludes is showing, or because the monitor is paused.
        case excluded
    }

    /// Reads a monitor that the worker sent.
    ///
    /// - Throws: `BusError` with code `bad_answer` if a required member is missing.
    public init(_ json: JSONObject) throws(BusError) {
        name = try json.text("monitor")
        topics = json.texts("topics")
        state = State(rawValue: try json.text("state"))
        cycles = Int(json["cycles"]?.integer ?? 0)
        failures = Int(json["failures"]?.integer ?? 0)
        reason = json["reason"]?.string
        nextUnixMilliseconds = json["next_at_ms"]?.integer
        pause = HeldPause(of: json)
        self.json = json
    }
}

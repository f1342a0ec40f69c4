public import ForgeBusProtocol

/// A monitor that a worker hosts.
public struct HeldMonitor: HeldItem {
    /// The kind of list that contains monitors.
    public static var kind: ListKind { .monitors }

    /// The monitor's name.
    public let name: String
    /// The patterns of the topics that the monitor follows.
    public let topics: [String]
    /// The monitor's state; nil if this version does not know it (``json`` then contains the worker's word).
    public let state: State?
    /// The number of cycles of the monitor that have ended since the worker started.
    public let cycles: Int
    /// How many cycles in a row have failed; 0 if the latest one ended well.
    public let failures: Int
    /// Why the latest cycle failed; nil if it ended well.
    public let reason: String?
    /// When the next cycle begins, in milliseconds since 1970; nil if none is owed.
    public let nextUnixMilliseconds: Int64?
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
        /// A screen that the monitor excludes is showing, so no cycle begins.
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
        self.json = json
    }
}

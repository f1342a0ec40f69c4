public import ForgeBusProtocol

/// A monitor that a worker hosts.
public struct HeldMonitor: HeldItem {
    /// The kind of these items in LIST.
    public static var kind: ListKind { .monitors }

    /// Its name.
    public let name: String
    /// The patterns of the topics it follows.
    public let topics: [String]
    /// Its state; nil for a state that only newer versions know, which ``json`` contains.
    public let state: State?
    /// How many cycles have ended.
    public let cycles: Int
    /// Everything that the worker sent.
    public let json: JSONObject

    /// The states of a monitor.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// No cycle runs or is due.
        case idle
        /// A cycle is due.
        case owed
        /// A cycle runs.
        case running
        /// The running cycle has exceeded its time limit.
        case overdue
        /// A cycle runs, and another begins when it ends.
        case runningOwed = "running, owed"
        /// The running cycle has exceeded its time limit, and another begins when it ends.
        case overdueOwed = "overdue, owed"
        /// A screen is showing that the monitor excludes.
        case excluded
    }

    /// Reads a monitor from the worker's JSON.
    ///
    /// - Throws: ``BusError`` with code `bad_answer` if a member is missing that each monitor has.
    public init(_ json: JSONObject) throws(BusError) {
        name = try json.text("monitor")
        topics = json.texts("topics")
        state = State(rawValue: try json.text("state"))
        cycles = Int(json["cycles"]?.integer ?? 0)
        self.json = json
    }
}

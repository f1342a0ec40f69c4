public import ForgeBusProtocol

/// A monitor that a worker hosts.
public struct HeldMonitor: HeldItem {
    /// What a list of them is called.
    public static var kind: ListKind { .monitors }

    /// Its name.
    public let name: String
    /// The patterns of the topics it follows.
    public let topics: [String]
    /// How it stands; nil for a word of a newer worker, which ``json`` has.
    public let state: State?
    /// How many cycles have ended.
    public let cycles: Int
    /// Everything the worker told.
    public let json: JSONObject

    /// How a monitor can stand.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// Nothing is owed.
        case idle
        /// A cycle is to begin.
        case owed
        /// A cycle runs.
        case running
        /// The cycle that runs has had its time.
        case overdue
        /// A cycle runs, and another begins when it ends.
        case runningOwed = "running, owed"
        /// The cycle that runs has had its time, and another begins when it ends.
        case overdueOwed = "overdue, owed"
        /// A screen that it excludes is showing.
        case excluded
    }

    /// Reads what the worker told.
    ///
    /// - Throws: `BusError` with code `bad_answer` where what each of them has is missing.
    public init(_ json: JSONObject) throws(BusError) {
        name = try json.text("monitor")
        topics = json.texts("topics")
        state = State(rawValue: try json.text("state"))
        cycles = Int(json["cycles"]?.integer ?? 0)
        self.json = json
    }
}

/// A monitor as a worker describes it in PAGE, SHOWN and EVENT, and in the list `failing` of the worker itself.
public struct MonitorItem: Hashable, Sendable {
    /// The monitor's name.
    public var name: Name
    /// The patterns of the topics that the monitor follows; empty in an EVENT.
    public var topics: [String]
    /// The monitor's state.
    public var state: State
    /// How many cycles have ended since the worker started.
    public var cycles: Int
    /// The latest ended cycle; nil until a cycle has ended in this worker's process, and from a worker whose WELCOME
    /// lacks the feature ``Welcome/lastCycle``.
    public var last: LastCycle?
    /// Why the monitor is failing; nil if its latest cycle neither failed nor exceeded its time limit.
    public var failure: Failure?
    /// When the next cycle begins, in milliseconds since 1970, by the worker's clock.
    ///
    /// It is nil if no cycle is owed and the monitor has no interval. It is also nil while a cycle is running, while an
    /// excluded screen is showing, and while the monitor is paused.
    public var nextUnixMilliseconds: Int64?
    /// The monitor's pause; nil if it is not paused, and in an EVENT.
    public var pause: PauseItem?
    /// The members of the item that this version does not know.
    public var others: JSONObject

    /// The states of a monitor.
    public enum State: OpenWord {
        /// No cycle is running, and none is owed.
        case idle
        /// No cycle is running yet, but one is owed and will begin.
        case owed
        /// A cycle is running.
        case running
        /// The running cycle has exceeded its time limit.
        case overdue
        /// A cycle is running, and another one begins when it ends.
        case runningOwed
        /// The running cycle has exceeded its time limit, and another one begins when it ends.
        case overdueOwed
        /// No cycle begins, because a screen that the monitor excludes is showing, or because the monitor is paused.
        case excluded
        /// A state of a newer worker, in the worker's own word.
        case unknown(String)

        /// All states that this version knows.
        public static let known: [State] = [.idle, .owed, .running, .overdue, .runningOwed, .overdueOwed, .excluded]

        /// The state's word in JSON.
        public var word: String {
            switch self {
            case .idle: "idle"
            case .owed: "owed"
            case .running: "running"
            case .overdue: "overdue"
            case .runningOwed: "running, owed"
            case .overdueOwed: "overdue, owed"
            case .excluded: "excluded"
            case .unknown(let word): word
            }
        }
    }

    /// Why a monitor is failing.
    public struct Failure: Hashable, Sendable {
        /// How many cycles in a row have failed or exceeded their time limit, at least 1.
        public var count: Int
        /// When the latest of these cycles ended, in milliseconds since 1970, by the worker's clock.
        public var unixMilliseconds: Int64
        /// The failed actions with their reasons, or that the cycle exceeded its time limit.
        public var reason: String

        /// Makes the failure of a monitor.
        public init(count: Int, unixMilliseconds: Int64, reason: String) {
            self.count = count
            self.unixMilliseconds = unixMilliseconds
            self.reason = reason
        }
    }

    /// Makes the description of a monitor.
    public init(
        _ name: Name,
        topics: [String] = [],
        state: State,
        cycles: Int,
        last: LastCycle? = nil,
        failure: Failure? = nil,
        nextUnixMilliseconds: Int64? = nil,
        pause: PauseItem? = nil,
        others: JSONObject = [:]
    ) {
        self.name = name
        self.topics = topics
        self.state = state
        self.cycles = cycles
        self.last = last
        self.failure = failure
        self.nextUnixMilliseconds = nextUnixMilliseconds
        self.pause = pause
        self.others = others
    }
}

// JSON.
extension MonitorItem {
    /// Reads a monitor that a worker sent.
    ///
    /// - Throws: ``BusError`` with code `bad_answer` if a required member is missing, or a member has a wrong type.
    public init(_ json: JSONObject) throws(BusError) {
        let fields = try AnswerFields(.object(json), of: "the item of a monitor")
        name = try fields.name("monitor")
        topics = try fields.texts("topics")
        state = State(word: try fields.text("state"))
        cycles = Int(try fields.integer("cycles"))
        last = try json["last"].map(LastCycle.init)
        failure = json["failures"] == nil ? nil : try Failure(fields)
        nextUnixMilliseconds = json["next_at_ms"] == nil ? nil : try fields.integer("next_at_ms")
        pause = try json["paused"].map(PauseItem.init)
        others = fields.details(beside: Self.members)
    }

    /// The item as a worker sends it: the members that this version knows, then ``others``.
    public var json: JSONObject {
        var json: JSONObject = ["monitor": .string(name.text)]
        json["topics"] = topics.isEmpty ? nil : .array(topics.map { .string($0) })
        json["state"] = .string(state.word)
        json["cycles"] = .integer(Int64(cycles))
        json["last"] = (last?.json).map { .object($0) }
        json.add(failure?.json)
        json["next_at_ms"] = nextUnixMilliseconds.map { .integer($0) }
        json["paused"] = (pause?.json).map { .object($0) }
        json.add(others)
        return json
    }

    private static let members = [
        "monitor", "topics", "state", "cycles", "last", "failures", "failed_at_ms", "reason", "next_at_ms", "paused",
    ]
}

extension MonitorItem.Failure {
    fileprivate init(_ fields: AnswerFields) throws(BusError) {
        count = Int(try fields.integer("failures"))
        unixMilliseconds = try fields.integer("failed_at_ms")
        reason = try fields.text("reason")
    }

    fileprivate var json: JSONObject {
        [
            "failures": .integer(Int64(count)), "failed_at_ms": .integer(unixMilliseconds), "reason": .string(reason),
        ]
    }
}

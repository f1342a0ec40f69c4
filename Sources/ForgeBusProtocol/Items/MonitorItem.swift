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

/// The members of a ``MonitorItem``.
package struct MonitorMembers: ItemMembers {
    package static let all = DeclaredMembers(Self())

    let name = RequiredMember<Name>("monitor", "The monitor's name.")
    let topics = DefaultMember<[String]>("topics", [], "The patterns of the topics that it follows.")
    let state = RequiredMember<String>(
        "state",
        "idle, owed, running, overdue, excluded; also running, owed and overdue, owed."
    )
    let cycles = RequiredMember<Int>("cycles", "How many cycles have ended.")
    let last = Member<LastCycle>("last", "The latest ended cycle.")
    let failures = Member<Int>("failures", "How many cycles in a row have failed.")
    let failed = Member<Int64>("failed_at_ms", "When the latest failed cycle ended.")
    let reason = Member<String>("reason", "The failed actions.")
    let next = Member<Int64>("next_at_ms", "When the next cycle begins.")
    let pause = Member<PauseItem>("paused", "The monitor's pause.")
}

// JSON.
extension MonitorItem {
    /// Reads a monitor that a worker sent.
    ///
    /// - Throws: ``BusError`` with code `bad_answer` if a required member is missing, or a member has a wrong type.
    public init(_ json: JSONObject) throws(BusError) {
        let item = try Item<MonitorMembers>(json)
        (name, topics, state, cycles) = (item.name, item.topics, State(word: item.state), item.cycles)
        (last, nextUnixMilliseconds, pause) = (item.last, item.next, item.pause)
        if let count = item.failures {
            guard let time = item.failed, let reason = item.reason else {
                throw Errors.badAnswer("the item Monitor has `failures` without `failed_at_ms` or `reason`")
            }
            failure = Failure(count: count, unixMilliseconds: time, reason: reason)
        }
        others = json
        for key in MonitorMembers.all.keys { others[key] = nil }
    }

    /// The item as a worker sends it: the members that this version knows, then ``others``.
    public var json: JSONObject {
        var item = Item<MonitorMembers>()
        (item.name, item.topics, item.state, item.cycles) = (name, topics, state.word, cycles)
        item.last = last
        (item.failures, item.failed) = (failure?.count, failure?.unixMilliseconds)
        (item.reason, item.next, item.pause) = (failure?.reason, nextUnixMilliseconds, pause)
        return item.json.adding(others)
    }
}

extension MonitorItem: MemberValue {
    package init?(member value: JSONValue) {
        guard let object = value.object, let item = try? MonitorItem(object) else { return nil }
        self = item
    }

    package var asMember: JSONValue { .object(json) }
    package static let schema = MonitorMembers.all.reference

    package static func check(_ value: JSONValue, _ place: () -> String) throws(BusError) {
        _ = try MonitorItem(value.object ?? [:])
    }
}

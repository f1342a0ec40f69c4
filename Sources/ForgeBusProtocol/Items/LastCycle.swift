/// The latest ended cycle of a monitor: how long ago it began, and how it ended.
///
/// It is an age and not a time, so that the clocks of worker and reader need not agree. A cycle began no earlier than
/// ``beganAgo`` before the moment at which the reader sent the request that this item answers.
public struct LastCycle: Hashable, Sendable {
    /// How long ago the worker ordered the cycle, which is never later than the evaluation of its first condition.
    ///
    /// It counts up to the moment at which the worker made the answer or the event, also while the machine sleeps, and
    /// it is rounded up to a whole millisecond when it is written. So it is never shorter than the true age.
    public var beganAgo: Duration
    /// How long the cycle took, without the time for which the monitor held it back; whole milliseconds, rounded down.
    public var took: Duration
    /// How the cycle ended.
    public var state: State

    /// How a cycle ended.
    public enum State: OpenWord {
        /// No action failed.
        case ran
        /// An action failed.
        case failed
        /// The cycle exceeded its time limit, and was cancelled.
        case overdue
        /// An end that only a newer worker knows, in the worker's own word; it must not count as ``ran``.
        case unknown(String)

        /// All ends that this version knows.
        public static let known: [State] = [.ran, .failed, .overdue]

        /// The word in JSON.
        public var word: String {
            switch self {
            case .ran: "ran"
            case .failed: "failed"
            case .overdue: "overdue"
            case .unknown(let word): word
            }
        }
    }

    /// Makes the description of an ended cycle.
    public init(beganAgo: Duration, took: Duration, state: State) {
        self.beganAgo = beganAgo
        self.took = took
        self.state = state
    }
}

/// The members of a ``LastCycle``.
package struct LastCycleMembers: ItemMembers {
    package static let all = DeclaredMembers(Self())

    let beganAgo = RequiredMember<Int64>(
        "began_ago_ms",
        "How long before this answer the cycle began, in milliseconds, rounded up."
    )
    let took = RequiredMember<Int64>("took_ms", "How long the cycle took, in milliseconds.")
    let state = RequiredMember<String>("state", "ran, failed or overdue.")
}

extension LastCycle {
    /// Reads the member `last` of a monitor.
    ///
    /// - Throws: ``BusError`` with code `bad_answer` if a member is missing or has a wrong type, or if a time is
    ///   negative.
    fileprivate init(_ item: Item<LastCycleMembers>) throws(BusError) {
        guard item.beganAgo >= 0, item.took >= 0 else {
            throw Errors.badAnswer("a time of the item LastCycle is negative: \(item.json)")
        }
        self.init(
            beganAgo: .milliseconds(item.beganAgo),
            took: .milliseconds(item.took),
            state: State(word: item.state)
        )
    }
}

extension LastCycle: MemberValue {
    package init?(member value: JSONValue) {
        guard let object = value.object, let last = try? Self(Item(object)) else { return nil }
        self = last
    }

    package var asMember: JSONValue {
        var item = Item<LastCycleMembers>()
        item.beganAgo = beganAgo.millisecondsRoundedUp
        (item.took, item.state) = (took.milliseconds, state.word)
        return .object(item.json)
    }

    package static let schema = LastCycleMembers.all.reference

    package static func check(_ value: JSONValue, _ place: () -> String) throws(BusError) {
        _ = try Self(Item(value.object ?? [:]))
    }
}

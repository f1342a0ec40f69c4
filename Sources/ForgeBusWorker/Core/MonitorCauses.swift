import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// Why a monitor's cycle runs: a bounded summary of the notifications that the cycle covers.
///
/// ```swift
/// import ForgeBusWorker
/// import ForgeOrchestrator
///
/// func run() async -> ActionResult {
///     for cause in MonitorCauses.current.topics { print(cause.topic, cause.count) }
///     return .completed
/// }
/// ```
///
/// The summary is only a hint: a notification may be outdated when the cycle runs, so read the current state from its
/// source. After a failed cycle, the next cycle covers the same notifications again.
public struct MonitorCauses: Hashable, Sendable {
    /// The notifications by topic, in the order in which the topics first came; at most ``maximumTopics``.
    public private(set) var topics: [Cause] = []
    /// The number of notifications on further topics, for which ``topics`` had no room.
    public private(set) var others = 0
    /// The principals that sent the notifications; empty if the worker has no keys.
    private(set) var principals: Set<String> = []

    /// The most topics that ``topics`` has room for.
    public static let maximumTopics = 64

    /// Creates an empty summary, as for a cycle that no notification caused.
    public init() {}

    /// The causes of the cycle whose condition or action is executing.
    ///
    /// They are empty in a cycle that no notification caused, and outside a worker's cycle.
    public static var current: MonitorCauses {
        var given = MonitorBaggage.current.lazy.compactMap { $0 as? MonitorCauses }.makeIterator()
        guard var causes = given.next() else { return MonitorCauses() }
        // A monitor hosted twice may run one cycle for both of its hosts.
        while let more = given.next() { causes.add(more) }
        return causes
    }

    /// Whether the cycle covers no notification.
    public var isEmpty: Bool { topics.isEmpty && others == 0 }

    /// The number of notifications that the cycle covers.
    public var count: Int { topics.reduce(others) { $0 + $1.count } }

    /// Restores the causes that an earlier worker stored.
    init(_ record: DebtRecord) {
        topics = record.causes.map(Cause.init)
        others = record.others
        principals = record.principals
    }

    /// Adds a notification.
    mutating func add(_ notice: Notice) {
        if let principal = notice.principal { principals.insert(principal) }
        if let index = index(of: notice.topic) {
            topics[index].add(notice)
        } else if topics.count < Self.maximumTopics {
            topics.append(Cause(notice))
        } else {
            others += 1
        }
    }

    /// Adds all notifications that `later` covers.
    mutating func add(_ later: MonitorCauses) {
        others += later.others
        principals.formUnion(later.principals)
        for cause in later.topics {
            if let index = index(of: cause.topic) {
                topics[index].add(cause)
            } else if topics.count < Self.maximumTopics {
                topics.append(cause)
            } else {
                others += cause.count
            }
        }
    }

    private func index(of topic: Name) -> Int? {
        // Successive notifications often have the same topic.
        if let last = topics.last, last.topic == topic { return topics.count - 1 }
        return topics.firstIndex { $0.topic == topic }
    }
}

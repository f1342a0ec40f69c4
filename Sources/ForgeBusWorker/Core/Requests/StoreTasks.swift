import ForgeBusProtocol
import ForgeBusStore

/// The tasks of operators that the store works on, each with the callers that wait for the outcome.
struct StoreTasks {
    /// A task, with the request that began it.
    struct Pending {
        let first: Received
        let verb: Name
        let task: StoreTask
        /// The requests of the callers that wait for the outcome; more than one if several connections sent the request.
        fileprivate(set) var waiting: [Received]
    }

    private var tasks: [RequestKey: Pending] = [:]

    /// The number of tasks.
    var count: Int { tasks.count }

    /// All tasks, in no order.
    var pending: Dictionary<RequestKey, Pending>.Values { tasks.values }

    /// The request that began the task of this key; nil if there is no such task.
    func first(under key: RequestKey) -> Received? { tasks.isEmpty ? nil : tasks[key]?.first }

    /// The task of this key; nil if there is none.
    subscript(key: RequestKey) -> Pending? { tasks[key] }

    /// Adds a task.
    mutating func begin(_ task: StoreTask, of verb: Name, _ received: Received) {
        tasks[received.key] = Pending(first: received, verb: verb, task: task, waiting: [received])
    }

    /// Lets one more caller wait for the outcome of a task.
    mutating func join(_ received: Received) { tasks[received.key]?.waiting.append(received) }

    /// Removes and returns a task.
    mutating func end(_ key: RequestKey) -> Pending? { tasks.removeValue(forKey: key) }

    /// Ends the waits that a new policy no longer allows, and returns them with the reasons; the tasks go on.
    mutating func endWaits(under policy: AccessPolicy) -> [(received: Received, error: BusError)] {
        var ended: [(Received, BusError)] = []
        for (key, task) in tasks.sorted(by: { $0.key.order < $1.key.order }) {
            tasks[key]?.waiting = task.waiting.filter { received in
                guard let error = policy.endOfWait(received.request.command, of: received.principal) else {
                    return true
                }
                ended.append((received, error))
                return false
            }
        }
        return ended
    }
}

extension RequestKey {
    /// What the keys of a list are sorted by.
    fileprivate var order: (String, String) { (principal, id.text) }
}

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

extension WorkerState {
    /// Passes an operator's task to the store, only once even if several connections send the same request.
    mutating func administer(_ request: AdminRequest, _ received: Received) {
        guard isToBeDone(received, nil) else { return }
        do throws(BusError) {
            try perform(request, received)
        } catch {
            step.refuse(received, error)
        }
    }

    private mutating func perform(_ request: AdminRequest, _ received: Received) throws(BusError) {
        let task = try StoreTask(request)
        guard configuration.keepsRecords else { throw Errors.noStore }
        guard let known = tasks[received.key] else {
            guard tasks.count < configuration.limits.storeTasks else {
                throw .busy("admin", "The store is busy with other tasks of operators.")
            }
            if isShort, case .backup = task { throw Errors.noRoomForBackup }
            tasks.begin(task, of: request.verb, received)
            return step.emit(.perform(task, received.key))
        }
        if known.waiting.contains(where: { $0.caller == received.caller }) { return }
        guard known.waiting.count <= configuration.limits.attachedConnections else { throw Errors.tooManyForTask }
        tasks.join(received)
    }

    /// Ends the waits for store tasks that the access policy no longer allows, and tells their callers why.
    mutating func endWaitsForTasks() {
        for (received, error) in tasks.endWaits(under: access) { step.answer(received, .error(error)) }
    }

    /// Sends the outcome of a store task to all callers that wait for it.
    mutating func performed(_ key: RequestKey, _ result: Result<JSONObject, StoreError>) {
        guard let asked = tasks.end(key) else { return }
        let content: Answer.Content
        switch result {
        case .success(let details):
            var report = StateReport(.done, details: details)
            if asked.task.isKept {
                (report.durability, report.retention) = (configuration.durability, configuration.retention)
                take(asked.first, .confirmation(report))
            }
            if asked.task.isAudited {
                step.allowedBy = access.grant(for: asked.first.request.command, of: asked.first.principal)
                audit(.administered(verb: asked.verb), asked.first)
            }
            content = .ok(report)
        case .failure(let error): content = .error(BusError(.storeFailed, error.message, next: error.next))
        }
        for received in asked.waiting { step.answer(received, content) }
    }
}

extension RequestKey {
    /// What the keys of a list are sorted by.
    fileprivate var order: (String, String) { (principal, id.text) }
}

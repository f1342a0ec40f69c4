/// What a SUB or XSUB has subscribed to, and which echo says that publishers know.
///
/// Owned by the reactor thread, with its socket.
struct Subscription {
    /// Each is subscribed to once, however often that is asked for.
    private(set) var topics: Set<TopicPrefix> = []

    /// What comes back when a publisher knows every topic; another one after each change.
    private(set) var sentinel: Sentinel?

    /// Called at each echo of the present sentinel.
    var handler: (@Sendable (isolated Reactor) -> Void)?

    /// Those who wait for the echo of the present sentinel.
    var waits: [SubscriptionWait] = []

    /// Whether echoes may come.
    var isUsed: Bool { sentinel != nil }

    /// What a change asks the socket to do, in this order.
    struct Change {
        let added: [TopicPrefix]
        let removed: [TopicPrefix]
        let newSentinel: Sentinel
        let oldSentinel: Sentinel?
    }

    mutating func change(adding: Set<TopicPrefix>, removing: Set<TopicPrefix> = []) -> Change {
        let added = adding.subtracting(topics).sorted { $0.text < $1.text }
        let removed = removing.intersection(topics).sorted { $0.text < $1.text }
        topics.formUnion(added)
        topics.subtract(removed)
        let old = sentinel
        let new = Sentinel()
        sentinel = new
        // What was answered before says nothing about this change.
        for wait in waits { wait.restart() }
        return Change(added: added, removed: removed, newSentinel: new, oldSentinel: old)
    }
}

/// Somebody waits until publishers know a subscription.
///
/// Owned by the reactor thread.
final class SubscriptionWait: @unchecked Sendable {
    // Unchecked: only handlers of one reactor use it.
    private let publishers: Int
    private var missing: Int
    private var onEnd: ((ZeroMQError?) -> Void)?
    /// What ends the wait when its time is over.
    var timer: TimerID?

    init(publishers: Int, _ onEnd: @escaping (ZeroMQError?) -> Void) {
        self.publishers = publishers
        missing = publishers
        self.onEnd = onEnd
    }

    func restart() { missing = publishers }

    /// One publisher has answered.
    ///
    /// - Returns: Whether all have.
    func acknowledged() -> Bool {
        missing -= 1
        return missing <= 0
    }

    /// Ends the wait; once.
    func end(_ error: ZeroMQError?) {
        let onEnd = onEnd
        self.onEnd = nil
        onEnd?(error)
    }
}

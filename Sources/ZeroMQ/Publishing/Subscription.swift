/// The topics of a SUB or XSUB, and the sentinel whose echo confirms them.
///
/// Owned by the reactor thread, like the socket.
struct Subscription {
    /// The topics; each is subscribed to once, even if the program subscribes several times.
    private(set) var topics: Set<TopicPrefix> = []

    /// The sentinel that publishers echo when they know every topic; nil if nobody wants to know that.
    ///
    /// Each change of the topics makes a new sentinel.
    private(set) var sentinel: Sentinel?

    /// Called at each echo of the current sentinel.
    var handler: (@Sendable (isolated Reactor) -> Void)?

    /// The tasks that wait for the echo of the current sentinel.
    var waits: [SubscriptionWait] = []

    /// The subscriptions to send and to cancel after a change; the properties are in the order of sending.
    struct Change {
        let added: [TopicPrefix]
        let removed: [TopicPrefix]
        let newSentinel: Sentinel?
        let oldSentinel: Sentinel?
    }

    mutating func change(adding: Set<TopicPrefix> = [], removing: Set<TopicPrefix> = []) -> Change {
        let added = adding.subtracting(topics).sorted { $0.text < $1.text }
        let removed = removing.intersection(topics).sorted { $0.text < $1.text }
        topics.formUnion(added)
        topics.subtract(removed)
        let old = sentinel
        let new = handler != nil || !waits.isEmpty ? Sentinel() : nil
        sentinel = new
        // Earlier confirmations say nothing about this change.
        for wait in waits { wait.restart() }
        return Change(added: added, removed: removed, newSentinel: new, oldSentinel: old)
    }
}

/// A task that waits until publishers know a subscription.
///
/// Owned by the reactor thread.
final class SubscriptionWait: @unchecked Sendable {
    // Unchecked: only the thread of one reactor uses a wait.
    private let publishers: Int
    private var missing: Int
    private var onEnd: ((ZeroMQError?) -> Void)?
    /// The timer that ends the wait at its deadline.
    var timer: TimerID?

    init(publishers: Int, _ onEnd: @escaping (ZeroMQError?) -> Void) {
        self.publishers = publishers
        missing = publishers
        self.onEnd = onEnd
    }

    func restart() { missing = publishers }

    /// Counts one publisher's confirmation.
    ///
    /// - Returns: Whether enough publishers have confirmed.
    func acknowledged() -> Bool {
        missing -= 1
        return missing <= 0
    }

    /// Ends the wait with an error, or with nil if enough publishers have confirmed; further calls do nothing.
    func end(_ error: ZeroMQError?) {
        let onEnd = onEnd
        self.onEnd = nil
        onEnd?(error)
    }
}

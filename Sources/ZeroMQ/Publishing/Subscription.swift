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
    var handler: (() -> Void)?

    /// The tasks that wait for the echo of the current sentinel.
    var waits: [WaitID: SubscriptionWait] = [:]

    /// The subscriptions to send and to cancel after a change; the properties are in the order of sending.
    struct Change {
        let added: [TopicPrefix]
        let removed: [TopicPrefix]
        let newSentinel: Sentinel?
        let oldSentinel: Sentinel?
    }

    mutating func change(adding: Set<TopicPrefix> = [], removing: Set<TopicPrefix> = []) -> Change {
        let added = adding.subtracting(topics).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        let removed = removing.intersection(topics).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        topics.formUnion(added)
        topics.subtract(removed)
        let old = sentinel
        let new = handler != nil || !waits.isEmpty ? Sentinel() : nil
        sentinel = new
        // Earlier confirmations say nothing about this change.
        for (id, wait) in waits { waits[id]?.missing = wait.publishers }
        return Change(added: added, removed: removed, newSentinel: new, oldSentinel: old)
    }

    /// Counts one publisher's confirmation.
    ///
    /// - Returns: The waits for which enough publishers have confirmed.
    mutating func acknowledged() -> [WaitID] {
        for id in waits.keys { waits[id]?.missing -= 1 }
        return waits.filter { $0.value.missing <= 0 }.map(\.key)
    }
}

/// How many publishers a waiting task still needs until enough of them know the subscriptions.
struct SubscriptionWait {
    let publishers: Int
    fileprivate var missing: Int

    init(publishers: Int) { (self.publishers, missing) = (publishers, publishers) }
}

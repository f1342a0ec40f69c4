/// Connections to publishers: which were lost, and which publishers may not know the subscriptions yet.
///
/// Pure: the caller tells it the time. What is published before a new connection's publisher knows the subscriptions does
/// not come, so a connection is worth something only from then on. An XPUB of the module ZeroMQ says when it knows; of
/// any other it is assumed after ``patience``.
struct PublisherConnections {
    /// After how long a publisher that says nothing is taken to know the subscriptions.
    static let patience: Duration = .seconds(1)
    /// Of how many connections it is known that their publishers have said nothing yet.
    private static let capacity = 1_024

    /// How many connections were lost and not made again; at each endpoint.
    private var lost: [String: Int] = [:]
    /// When the patience with each connection ends, the earliest first.
    private var unanswered: [ContinuousClock.Instant] = []

    /// A connection is up.
    ///
    /// - Returns: Whether one was lost at this endpoint before. Of a publisher that comes to the worker's own endpoint
    ///   nobody knows whether it is the same.
    mutating func connected(at endpoint: String, now: ContinuousClock.Instant) -> Bool {
        // What is still unanswered then is covered by the end of the patience with a later one.
        if unanswered.count == Self.capacity { unanswered.removeFirst() }
        unanswered.append(now + Self.patience)
        guard let count = lost[endpoint] else { return false }
        lost[endpoint] = count > 1 ? count - 1 : nil
        return true
    }

    /// A connection that was up has ended.
    mutating func disconnected(at endpoint: String) { lost[endpoint, default: 0] += 1 }

    /// A publisher says that it knows the subscriptions.
    ///
    /// Which one it is does not show. The patience that ends first is taken for its own, so that those which are left end
    /// late rather than early.
    mutating func acknowledged() {
        if !unanswered.isEmpty { unanswered.removeFirst() }
    }

    /// Some time has gone by.
    ///
    /// - Returns: Whether the patience with a publisher has ended: it knows the subscriptions by now.
    mutating func patienceEnded(at now: ContinuousClock.Instant) -> Bool {
        let ended = unanswered.prefix { $0 <= now }.count
        unanswered.removeFirst(ended)
        return ended > 0
    }
}

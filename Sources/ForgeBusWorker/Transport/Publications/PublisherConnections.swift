/// Tracks the connections to publishers: which were lost, and which may not know the subscriptions yet.
///
/// Pure: the caller passes the time. A publisher sends a message only to the subscribers that it knows. So the worker
/// gets no message that is published before the publisher knows the worker's subscriptions. An XPUB socket of the
/// module ZeroMQ reports when it knows them. For any other publisher, the worker assumes this after ``patience``.
struct PublisherConnections {
    /// How long the worker waits until it assumes that a publisher knows the subscriptions, if the publisher reports
    /// nothing.
    static let patience: Duration = .seconds(1)
    /// The most connections in ``unanswered``.
    private static let capacity = 1_024

    /// The number of connections that were lost and not restored, by endpoint.
    private var lost: [String: Int] = [:]
    /// When ``patience`` ends for each connection whose publisher has reported nothing yet, earliest first.
    private var unanswered: [ContinuousClock.Instant] = []

    /// Records a new connection.
    ///
    /// - Returns: Whether a connection was lost at this endpoint before. At the worker's own endpoint, the new
    ///   connection may be that of another publisher.
    mutating func connected(at endpoint: String, now: ContinuousClock.Instant) -> Bool {
        // The removed entry is not needed: when `patience` ends for a later connection, the worker makes up for the losses
        // of all connections.
        if unanswered.count == Self.capacity { unanswered.removeFirst() }
        unanswered.append(now + Self.patience)
        guard let count = lost[endpoint] else { return false }
        lost[endpoint] = count > 1 ? count - 1 : nil
        return true
    }

    /// Records that a connection has ended.
    mutating func disconnected(at endpoint: String) { lost[endpoint, default: 0] += 1 }

    /// Records that a publisher knows the subscriptions.
    ///
    /// The worker does not know which publisher this is. So it removes the time that would end first; for the other
    /// publishers the wait may then end late, but not early.
    mutating func acknowledged() {
        if !unanswered.isEmpty { unanswered.removeFirst() }
    }

    /// Removes the connections for which ``patience`` has ended.
    ///
    /// - Returns: Whether there was such a connection; its publisher must know the subscriptions by now.
    mutating func patienceEnded(at now: ContinuousClock.Instant) -> Bool {
        let ended = unanswered.prefix { $0 <= now }.count
        unanswered.removeFirst(ended)
        return ended > 0
    }
}

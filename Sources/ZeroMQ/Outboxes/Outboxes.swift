import DequeModule

/// Keeps messages for peers whose libzmq queues are full: one line of messages for each peer, in order.
///
/// Pure: the caller sends the messages and supplies the time. A ROUTER reports only that *some* peer has room. While
/// one peer is full and another has room, the report never stops, and a loop that waits for it would keep a processor
/// busy. So each line is retried after its own pause. A peer that reads has room within microseconds, so the first
/// retries follow without a pause.
package struct Outboxes {
    /// A waiting message.
    package struct Entry {
        let message: Message
        /// When the message is given up; nil means never.
        let deadline: ContinuousClock.Instant?
        /// Called when the message was sent or given up; nil if no task waits for the message.
        let onEnd: (@Sendable (End) -> Void)?

        package init(
            _ message: Message,
            deadline: ContinuousClock.Instant? = nil,
            onEnd: (@Sendable (End) -> Void)? = nil
        ) {
            self.message = message
            self.deadline = deadline
            self.onEnd = onEnd
        }
    }

    /// Whether a message was sent, or why not.
    package enum End: Hashable, Sendable {
        case sent
        case undelivered(Undelivered.Reason)
    }

    /// A message that has left its line, with its end: sent, or the reason why it was not sent.
    package struct Ended {
        package let peer: PeerID
        let entry: Entry
        package let end: End
    }

    /// The messages for one peer.
    private struct Line {
        var entries: Deque<Entry> = []
        var sizeInBytes = 0
        var pace: RetryPace

        mutating func append(_ entry: Entry) {
            entries.append(entry)
            sizeInBytes += entry.message.sizeInBytes
        }

        /// Records a retry that removed messages of `size` bytes together; `hasMoved` says whether it removed any.
        mutating func left(_ size: Int, hasMoved: Bool, at now: ContinuousClock.Instant) {
            sizeInBytes -= size
            pace.tried(hasMoved: hasMoved, at: now)
        }
    }

    private let limits: OutboxLimits
    private var lines: [PeerID: Line] = [:]
    private var sizeInBytes = 0
    /// Whether any message ever had a deadline; if not, a retry does not search the line of a full peer for deadlines.
    private var hasDeadlines = false

    package init(limits: OutboxLimits) { self.limits = limits }

    package var isEmpty: Bool { lines.isEmpty }

    /// When the next line must be retried; nil when no message waits.
    package var due: ContinuousClock.Instant? { lines.values.lazy.map(\.pace.due).min() }

    /// The number of messages that wait for a peer.
    package func count(for peer: PeerID) -> Int { lines.isEmpty ? 0 : lines[peer]?.entries.count ?? 0 }

    /// Adds a message at the end of its peer's line.
    ///
    /// - Returns: Whether the message was added; false if the limits leave no room for it.
    package mutating func add(_ entry: Entry, for peer: PeerID, at now: ContinuousClock.Instant) -> Bool {
        let size = entry.message.sizeInBytes
        let own = lines[peer]?.sizeInBytes ?? 0
        guard count(for: peer) < limits.messagesPerPeer, own + size <= (limits.bytes - sizeInBytes) / 4
        else { return false }
        lines[peer, default: Line(pace: RetryPace(at: now))].append(entry)
        sizeInBytes += size
        if entry.deadline != nil { hasDeadlines = true }
        return true
    }

    /// Sends the messages of each line that is due, and gives up messages after their deadline.
    ///
    /// - Returns: The messages that have left their lines, in the order of each line.
    package mutating func retry(at now: ContinuousClock.Instant, _ send: (Message, PeerID) -> SendOutcome) -> [Ended] {
        var ended: [Ended] = []
        for peer in lines.filter({ $0.value.pace.due <= now }).keys {
            // The line is removed from the dictionary meanwhile, so that it is not copied.
            guard var line = lines.removeValue(forKey: peer) else { continue }
            let before = ended.count
            advance(&line.entries, of: peer, at: now, send, into: &ended)
            let left = ended[before...]
            line.left(left.reduce(0) { $0 + $1.entry.message.sizeInBytes }, hasMoved: !left.isEmpty, at: now)
            if !line.entries.isEmpty { lines[peer] = line }
        }
        return ended
    }

    /// Removes all messages; each ends as undelivered, with the reason `closed`.
    package mutating func removeAll() -> [Ended] {
        defer { (lines, sizeInBytes) = ([:], 0) }
        return lines.flatMap { peer, line in
            line.entries.map { Ended(peer: peer, entry: $0, end: .undelivered(.closed)) }
        }
    }

    private mutating func advance(
        _ line: inout Deque<Entry>,
        of peer: PeerID,
        at now: ContinuousClock.Instant,
        _ send: (Message, PeerID) -> SendOutcome,
        into ended: inout [Ended]
    ) {
        var outcome = SendOutcome.sent
        var kept: Deque<Entry> = []
        while let entry = line.popFirst() {
            if let deadline = entry.deadline, deadline <= now {
                leave(entry, of: peer, .undelivered(.deadline), into: &ended)
                continue
            }
            if outcome == .sent { outcome = send(entry.message, peer) }
            switch outcome {
            case .sent: leave(entry, of: peer, .sent, into: &ended)
            case .unreachable: leave(entry, of: peer, .undelivered(.peerUnreachable), into: &ended)
            case .full, .queued:
                guard hasDeadlines else { return line.prepend(entry) }
                kept.append(entry)
            }
        }
        line = kept
    }

    private mutating func leave(_ entry: Entry, of peer: PeerID, _ end: End, into ended: inout [Ended]) {
        sizeInBytes -= entry.message.sizeInBytes
        ended.append(Ended(peer: peer, entry: entry, end: end))
    }
}

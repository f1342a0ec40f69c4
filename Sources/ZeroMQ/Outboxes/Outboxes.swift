import DequeModule

/// The messages for peers whose queues are full, a line for each peer, in order.
///
/// Pure: the caller tries to send, and brings the time. A ROUTER only tells that *some* peer has room, and waiting for
/// that because of one full peer would burn a processor; so each line is tried again after a pause of its own. A peer that
/// reads has room in microseconds, so the first tries come at once.
package struct Outboxes {
    /// A message that waits.
    package struct Entry {
        let message: Message
        /// When it is given up.
        let deadline: ContinuousClock.Instant?
        /// Who waits for its end, if somebody does.
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

    /// How an entry ended.
    package enum End: Hashable, Sendable {
        case sent
        case undelivered(Undelivered.Reason)
    }

    /// An entry that has left its line.
    package struct Ended {
        package let peer: PeerID
        let entry: Entry
        package let end: End
    }

    /// What waits for one peer.
    private struct Line {
        var entries: Deque<Entry> = []
        var sizeInBytes = 0
        var pace: RetryPace

        mutating func append(_ entry: Entry) {
            entries.append(entry)
            sizeInBytes += entry.message.sizeInBytes
        }

        /// It was tried, and so many bytes have left it.
        mutating func left(_ size: Int, hasMoved: Bool, at now: ContinuousClock.Instant) {
            sizeInBytes -= size
            pace.tried(hasMoved: hasMoved, at: now)
        }
    }

    private let limits: OutboxLimits
    private var lines: [PeerID: Line] = [:]
    private var sizeInBytes = 0
    /// Whether an entry ever had a deadline; if not, a peer without room need not be looked through.
    private var hasDeadlines = false

    package init(limits: OutboxLimits) { self.limits = limits }

    package var isEmpty: Bool { lines.isEmpty }

    /// When the next line is to be tried; nil when none waits.
    package var due: ContinuousClock.Instant? { lines.values.lazy.map(\.pace.due).min() }

    /// How many messages wait for a peer.
    package func count(for peer: PeerID) -> Int { lines.isEmpty ? 0 : lines[peer]?.entries.count ?? 0 }

    /// Puts an entry at the end of its peer's line.
    ///
    /// - Returns: Whether there was room.
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

    /// Tries each line that is due, and gives up what is too late.
    ///
    /// - Returns: What has left, in the order of each line.
    package mutating func retry(at now: ContinuousClock.Instant, _ send: (Message, PeerID) -> SendOutcome) -> [Ended] {
        var ended: [Ended] = []
        for peer in lines.filter({ $0.value.pace.due <= now }).keys {
            // Taken out while it is worked on, so that it is not copied.
            guard var line = lines.removeValue(forKey: peer) else { continue }
            let before = ended.count
            advance(&line.entries, of: peer, at: now, send, into: &ended)
            let left = ended[before...]
            line.left(left.reduce(0) { $0 + $1.entry.message.sizeInBytes }, hasMoved: !left.isEmpty, at: now)
            if !line.entries.isEmpty { lines[peer] = line }
        }
        return ended
    }

    /// Gives everything up.
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

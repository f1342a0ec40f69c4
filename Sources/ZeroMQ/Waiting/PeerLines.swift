import DequeModule

/// The messages of tasks that wait until a ROUTER's peers have room: a line for each full peer.
///
/// Pure: the caller sends the messages, and supplies the time.
struct PeerLines {
    private struct Line {
        var pace: RetryPace
        var entries: Deque<(wait: WaitID, message: Message)> = []
    }

    private var lines: [PeerID: Line] = [:]
    private var peers: [WaitID: PeerID] = [:]

    /// When the next line must be retried, or earlier; nil if nobody waits.
    private(set) var due: ContinuousClock.Instant?

    /// Whether messages wait for the peer: a new message must not overtake them.
    func contain(_ peer: PeerID) -> Bool { !lines.isEmpty && lines[peer] != nil }

    /// Adds the message of a wait at the end of its peer's line.
    mutating func add(_ message: Message, of wait: WaitID, for peer: PeerID, at now: ContinuousClock.Instant) {
        lines[peer, default: Line(pace: RetryPace(at: now))].entries.append((wait, message))
        peers[wait] = peer
        due = min(due ?? now, now)
    }

    /// Removes the message of a wait that has ended.
    mutating func remove(_ wait: WaitID) {
        guard let peer = peers.removeValue(forKey: wait) else { return }
        lines[peer]?.entries.removeAll { $0.wait == wait }
        if lines[peer]?.entries.isEmpty == true { lines[peer] = nil }
    }

    /// Sends what each line that is due has, as far as its peer has room.
    ///
    /// - Returns: The waits whose messages have left their lines, in the order of each line.
    mutating func retry(
        at now: ContinuousClock.Instant,
        _ send: (Message, PeerID) -> SendOutcome
    ) -> [(wait: WaitID, outcome: SendOutcome)] {
        var ended: [(WaitID, SendOutcome)] = []
        for peer in lines.filter({ $0.value.pace.due <= now }).keys {
            // The line is removed from the dictionary meanwhile, so that it is not copied.
            guard var line = lines.removeValue(forKey: peer) else { continue }
            let before = ended.count
            while let (wait, message) = line.entries.first {
                let outcome = send(message, peer)
                if outcome == .full { break }
                line.entries.removeFirst()
                peers[wait] = nil
                ended.append((wait, outcome))
            }
            line.pace.tried(hasMoved: ended.count > before, at: now)
            if !line.entries.isEmpty { lines[peer] = line }
        }
        due = lines.values.lazy.map(\.pace.due).min()
        return ended
    }
}

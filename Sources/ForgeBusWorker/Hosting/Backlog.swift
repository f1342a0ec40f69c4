import DequeModule
import ZeroMQ

/// Answers for connections whose queues are full, in their order, until there is room again.
///
/// A ROUTER cannot tell when one of its peers has room, so whoever owns the backlog tries again after a pause. What a
/// peer does not read it cannot pile up for ever: beyond the bounds an answer is lost, and its record stays.
struct Backlog {
    private var queues: [PeerID: Deque<Message>] = [:]
    private var sizeInBytes = 0
    /// How long to wait before the next try.
    private(set) var pause = shortestPause

    /// The most answers kept for one connection: all that a thousand runs with some progress have to say at once.
    static let answersPerPeer = 16_384
    /// The most bytes kept for all connections.
    static let sizeInBytes = 64 * 1024 * 1024
    /// The pause while peers read; it doubles as long as none does.
    static let shortestPause: Duration = .milliseconds(1)
    /// The longest pause.
    static let longestPause: Duration = .milliseconds(100)

    /// Whether nothing is kept.
    var isEmpty: Bool { queues.isEmpty }

    /// Whether something is kept for `peer`, which later answers must not overtake.
    func holds(for peer: PeerID) -> Bool { !queues.isEmpty && queues[peer] != nil }

    /// Keeps an answer behind those that are kept for the same connection.
    ///
    /// - Returns: Whether there was room for it.
    mutating func add(_ message: Message, for peer: PeerID) -> Bool {
        guard queues[peer, default: []].count < Self.answersPerPeer,
            sizeInBytes + message.sizeInBytes <= Self.sizeInBytes
        else { return false }
        queues[peer, default: []].append(message)
        sizeInBytes += message.sizeInBytes
        return true
    }

    /// Hands over what finds room now.
    ///
    /// - Returns: How many answers were sent, and how many are lost because their connections are gone.
    mutating func retry(_ send: (Message, PeerID) -> SendOutcome) -> (sent: Int, lost: Int) {
        var total = (sent: 0, lost: 0)
        for (peer, queue) in queues {
            let done = hand(over: queue, to: peer, send)
            total.sent += done.sent
            total.lost += done.lost
        }
        pause = total.sent + total.lost > 0 ? Self.shortestPause : min(pause * 2, Self.longestPause)
        return total
    }

    private mutating func hand(
        over queue: Deque<Message>,
        to peer: PeerID,
        _ send: (Message, PeerID) -> SendOutcome
    ) -> (sent: Int, lost: Int) {
        var sent = 0
        for message in queue {
            switch send(message, peer) {
            case .sent: sent += 1
            case .full:
                remove(sent, for: peer)
                return (sent, 0)
            case .unreachable:
                remove(queue.count, for: peer)
                return (sent, queue.count - sent)
            }
        }
        remove(sent, for: peer)
        return (sent, 0)
    }

    private mutating func remove(_ count: Int, for peer: PeerID) {
        guard count > 0, var queue = queues.removeValue(forKey: peer) else { return }
        sizeInBytes -= queue.prefix(count).reduce(0) { $0 + $1.sizeInBytes }
        queue.removeFirst(count)
        if !queue.isEmpty { queues[peer] = queue }
    }
}

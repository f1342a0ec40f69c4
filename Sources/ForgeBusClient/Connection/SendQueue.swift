import DequeModule
import ForgeBusProtocol

/// The requests to send on one connection, in order; they wait for room in the window and in the socket.
///
/// Pure: each method is an event, and returns what to do.
struct SendQueue {
    /// One request in the queue.
    struct Entry: Hashable {
        let id: RequestID
        /// Whether the request takes a place in the window until its first answer.
        let isCounted: Bool
    }

    /// What to do next.
    enum Step: Hashable {
        /// Hand the request to the socket, then call ``SendQueue/sent(_:)``, ``SendQueue/dropped(_:)`` or
        /// ``SendQueue/refused(_:)``.
        case send(Entry)
        /// Wait until the socket has room, then call ``SendQueue/roomCame()``.
        case awaitRoom
        /// Ask the worker for its limit with a HELLO of this id, then call ``SendQueue/asked()`` or
        /// ``SendQueue/notAsked()``.
        case askForLimit(RequestID)
        /// Do nothing until the next event.
        case wait
    }

    private var window = Window()
    private var entries: Deque<Entry> = []
    /// The ids of the entries.
    private var queued: Set<RequestID> = []
    /// Whether the client waits until the socket has room.
    private var awaitsRoom = false

    /// Adds a request to send or to resend.
    ///
    /// A request that already has a place in the window does not wait: its answer may be lost, and only a resend then
    /// frees the place.
    mutating func offered(_ entry: Entry) -> Step {
        if queued.contains(entry.id) { return .wait }
        if window.contains(entry.id) || entries.isEmpty && admits(entry) { return .send(entry) }
        append(entry)
        return next
    }

    /// The socket took the request.
    mutating func sent(_ entry: Entry) -> Step {
        if entry.isCounted { window.sent(entry.id) }
        return dropped(entry)
    }

    /// The client did not send the request: the request has ended, or the connection has just been lost.
    mutating func dropped(_ entry: Entry) -> Step {
        guard queued.remove(entry.id) != nil else { return .wait }
        entries.removeFirst()
        return next
    }

    /// The socket had no room for the request.
    mutating func refused(_ entry: Entry) -> Step {
        if !queued.contains(entry.id) { append(entry) }
        guard case .send = next else { return next }
        awaitsRoom = true
        return .awaitRoom
    }

    /// The socket has room.
    mutating func roomCame() -> Step {
        awaitsRoom = false
        return next
    }

    /// The socket took the HELLO.
    mutating func asked() -> Step {
        window.asked()
        return .wait
    }

    /// The socket had no room for the HELLO.
    mutating func notAsked() -> Step {
        awaitsRoom = true
        return .awaitRoom
    }

    /// An answer came, even if nobody waits for it any more.
    mutating func heard(_ answer: Answer.Content, for id: RequestID) -> Step {
        window.heard(answer, for: id) ? next : .wait
    }

    /// Nobody waits for the request's answer any more.
    mutating func ended(_ id: RequestID) -> Step {
        let hadPlace = window.ended(id)
        guard queued.remove(id) != nil else { return hadPlace ? next : .wait }
        if let place = entries.firstIndex(where: { $0.id == id }) { entries.remove(at: place) }
        return next
    }

    /// The next step for the first request in the queue.
    private var next: Step {
        guard !awaitsRoom, let first = entries.first else { return .wait }
        if admits(first) { return .send(first) }
        return window.isWorthAsking ? .askForLimit(window.hello) : .wait
    }

    private func admits(_ entry: Entry) -> Bool { !entry.isCounted || window.admits(entry.id) }

    private mutating func append(_ entry: Entry) {
        entries.append(entry)
        queued.insert(entry.id)
    }
}

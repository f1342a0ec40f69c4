import DequeModule
import ForgeBusProtocol

/// The requests to send on one connection, in order, as far as the window and the socket have room.
///
/// Pure: each method is an event, and returns what to do.
struct SendQueue {
    /// A request to send.
    struct Entry: Hashable {
        let id: RequestID
        /// Whether the request counts in the window until its first answer.
        let isCounted: Bool
    }

    /// What the caller does next.
    enum Step: Hashable {
        /// Hand the request to the socket; then call ``SendQueue/sent(_:)``, ``SendQueue/dropped(_:)`` or
        /// ``SendQueue/refused(_:)``.
        case send(Entry)
        /// Wait until the socket has room; then call ``SendQueue/roomCame()``.
        case awaitRoom
        /// Send a HELLO with this id to ask for the worker's limit; then call ``SendQueue/asked()`` or
        /// ``SendQueue/notAsked()``.
        case askForLimit(RequestID)
        /// Do nothing until an answer comes or the socket has room.
        case wait
    }

    private var window = Window()
    private var entries: Deque<Entry> = []
    /// The ids of the entries.
    private var queued: Set<RequestID> = []
    /// Whether the caller waits until the socket has room.
    private var awaitsRoom = false

    /// A request is to be sent or resent.
    ///
    /// A request that already counts in the window does not queue: if its answer was lost, only a resend frees its
    /// place.
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

    /// The request is not sent: its call has ended, or the connection has just been lost.
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

    /// An answer came, perhaps to a request whose call has ended.
    mutating func heard(_ answer: Answer.Content, for id: RequestID) -> Step {
        window.heard(answer, for: id) ? next : .wait
    }

    /// The call of the request has ended.
    mutating func ended(_ id: RequestID) -> Step {
        let hadPlace = window.ended(id)
        guard queued.remove(id) != nil else { return hadPlace ? next : .wait }
        if let place = entries.firstIndex(where: { $0.id == id }) { entries.remove(at: place) }
        return next
    }

    /// The step that the first entry needs.
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

import DequeModule
import ForgeBusProtocol

/// The requests that wait, in order, until the ``Window`` and the socket of one connection have room for them.
///
/// Pure: a method handles one event and returns the next step, which the caller carries out.
struct SendQueue {
    /// A request to send.
    struct Entry: Hashable {
        let id: RequestID
        /// Whether the request takes a place in the connection's ``Window`` until its first answer.
        let isCounted: Bool
    }

    /// What the caller does next.
    enum Step: Hashable {
        /// Pass the request to the socket; then call ``SendQueue/sent(_:)``, ``SendQueue/dropped(_:)`` or
        /// ``SendQueue/refused(_:)``.
        case send(Entry)
        /// Wait until the socket has room; then call ``SendQueue/roomCame()``.
        case awaitRoom
        /// Send a HELLO with this id to ask for the worker's limit; then call ``SendQueue/asked()`` or
        /// ``SendQueue/notAsked()``.
        case askForLimit(RequestID)
        /// Do nothing until the next event.
        case wait
    }

    private var window = Window()
    private var entries: Deque<Entry> = []
    /// The ids of all entries.
    private var queued: Set<RequestID> = []
    /// Whether the caller waits until the socket has room.
    private var awaitsRoom = false

    /// Adds a request to send or to resend.
    ///
    /// A resend of a request that is still in the window does not wait in the queue. If the first answer was lost, only
    /// the answer to the resend frees the request's place in the window.
    mutating func offered(_ entry: Entry) -> Step {
        if queued.contains(entry.id) { return .wait }
        if window.contains(entry.id) || entries.isEmpty && admits(entry) { return .send(entry) }
        append(entry)
        return next
    }

    /// Records that the socket took the request.
    mutating func sent(_ entry: Entry) -> Step {
        if entry.isCounted { window.sent(entry.id) }
        return dropped(entry)
    }

    /// Drops a request because its call has ended, or because the connection has just been lost.
    mutating func dropped(_ entry: Entry) -> Step {
        guard queued.remove(entry.id) != nil else { return .wait }
        entries.removeFirst()
        return next
    }

    /// Records that the socket had no room for the request.
    mutating func refused(_ entry: Entry) -> Step {
        if !queued.contains(entry.id) { append(entry) }
        guard case .send = next else { return next }
        awaitsRoom = true
        return .awaitRoom
    }

    /// Records that the socket has room.
    mutating func roomCame() -> Step {
        awaitsRoom = false
        return next
    }

    /// Records that the socket took the HELLO.
    mutating func asked() -> Step {
        window.asked()
        return .wait
    }

    /// Records that the socket had no room for the HELLO.
    mutating func notAsked() -> Step {
        awaitsRoom = true
        return .awaitRoom
    }

    /// Records an answer to the request `id`, whose call may already have ended.
    mutating func heard(_ answer: Answer.Content, for id: RequestID) -> Step {
        window.heard(answer, for: id) ? next : .wait
    }

    /// Records that the call of the request `id` has ended.
    mutating func ended(_ id: RequestID) -> Step {
        let hadPlace = window.ended(id)
        guard queued.remove(id) != nil else { return hadPlace ? next : .wait }
        if let place = entries.firstIndex(where: { $0.id == id }) { entries.remove(at: place) }
        return next
    }

    /// The next step: send the first entry, ask for the worker's limit, or wait.
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

/// Collects the messages that a socket receives in one turn, and passes them to the inbox together.
///
/// Owned by the reactor thread.
final class Batches<Element: Sendable> {
    let inbox: Inbox<Element>
    private var pending: [Element] = []
    private var pendingBytes = 0

    init(inbox: Inbox<Element>) { self.inbox = inbox }

    func add(_ element: Element, bytes: Int) {
        pending.append(element)
        pendingBytes += bytes
    }

    /// Passes the messages of this turn to the inbox.
    ///
    /// - Returns: Whether the inbox has room for more messages.
    func deliver() -> Bool {
        defer { pendingBytes = 0 }
        return inbox.deliver(&pending, bytes: pendingBytes)
    }
}

/// Collects what a socket has received in a turn and hands it to the inbox in one piece.
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

    /// Hands the turn's messages over.
    ///
    /// - Returns: Whether there is room for more.
    func deliver() -> Bool {
        defer { pendingBytes = 0 }
        return inbox.deliver(&pending, bytes: pendingBytes)
    }
}

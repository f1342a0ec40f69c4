/// Receiving at the pace of a task.
extension Reactor {
    /// The messages of a socket as a sequence with back-pressure.
    ///
    /// It replaces the socket's handler; a second sequence on the same socket ends the first.
    ///
    /// - Parameters:
    ///   - socket: The socket; for a closed one the sequence is empty.
    ///   - limit: How many messages to buffer before the reactor stops reading the socket; it also stops at 4 MiB. One
    ///     turn's share (``ReactorOptions``) may be added on top.
    /// - Returns: The sequence, for one task at a time.
    public func messages<Kind: ReceivingSocket>(from socket: Socket<Kind>, buffering limit: Int = 1024)
        -> MessageSequence
    {
        let inbox: Inbox<Message> = makeInbox(for: socket, limit: limit)
        setIntake(.batches(Batches(inbox: inbox)), of: socket)
        return MessageSequence(inbox: inbox)
    }

    /// The messages of a ROUTER with their peers, as a sequence with back-pressure.
    ///
    /// It replaces the socket's handler; a second sequence on the same socket ends the first.
    ///
    /// - Parameters:
    ///   - socket: The socket; for a closed one the sequence is empty.
    ///   - limit: How many messages to buffer before the reactor stops reading the socket; it also stops at 4 MiB. One
    ///     turn's share (``ReactorOptions``) may be added on top.
    /// - Returns: The sequence, for one task at a time.
    public func messages(from socket: Socket<Router>, buffering limit: Int = 1024) -> RoutedMessageSequence {
        let inbox: Inbox<RoutedMessage> = makeInbox(for: socket, limit: limit)
        setIntake(.routedBatches(Batches(inbox: inbox)), of: socket)
        return RoutedMessageSequence(inbox: inbox)
    }

    private func makeInbox<Kind, Element>(for socket: Socket<Kind>, limit: Int) -> Inbox<Element> {
        let inbox = Inbox<Element>(limit: max(limit, 1)) { [weak self] in
            _ = self?.submit { reactor in reactor.setStalled(false, socket.token) }
        }
        if sockets[socket.token] == nil { inbox.finish() }
        return inbox
    }
}

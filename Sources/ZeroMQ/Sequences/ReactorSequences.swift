/// Receiving messages as a sequence, at the pace of the task that reads the sequence.
extension Reactor {
    /// Returns the messages of a socket as a sequence with back-pressure.
    ///
    /// The sequence replaces the socket's handler; a second sequence on the same socket ends the first.
    ///
    /// - Parameters:
    ///   - socket: The socket; for a closed socket the sequence is empty.
    ///   - limit: The reactor stops reading the socket when the buffer holds this many messages, or 4 MiB. The buffer
    ///     may exceed the limit by the messages of one turn (see ``ReactorOptions``). A limit below 1 counts as 1.
    /// - Returns: The sequence; only one task may wait for a message at a time.
    public func messages<Kind: ReceivingSocket>(from socket: Socket<Kind>, buffering limit: Int = 1024)
        -> MessageSequence
    {
        let inbox: Inbox<Message> = makeInbox(for: socket, limit: limit)
        setIntake(.batches(Batches(inbox: inbox)), of: socket)
        return MessageSequence(inbox: inbox)
    }

    /// Returns the messages of a ROUTER with their peers, as a sequence with back-pressure.
    ///
    /// The sequence replaces the socket's handler; a second sequence on the same socket ends the first.
    ///
    /// - Parameters:
    ///   - socket: The socket; for a closed socket the sequence is empty.
    ///   - limit: The reactor stops reading the socket when the buffer holds this many messages, or 4 MiB. The buffer
    ///     may exceed the limit by the messages of one turn (see ``ReactorOptions``). A limit below 1 counts as 1.
    /// - Returns: The sequence; only one task may wait for a message at a time.
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

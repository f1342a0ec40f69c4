import CZeroMQ

/// Receiving and sending messages; all these methods run on the reactor's thread and never wait.
extension Reactor {
    /// Calls a handler for each message that the socket receives, on the reactor's thread.
    ///
    /// In one turn, the reactor takes by default at most 256 messages or 1 MiB from a socket (``ReactorOptions``), then
    /// serves other sockets, commands and timers. A second call replaces the handler. Without a handler, messages stay
    /// in the socket's queue. Tasks that wait for a message of the socket end.
    ///
    /// - Parameters:
    ///   - socket: The socket; a closed socket receives nothing.
    ///   - handler: Called with each message; it must not block.
    public func receive<Kind: ReceivingSocket>(
        _ socket: Socket<Kind>,
        _ handler: @escaping (Message) -> Void
    ) {
        setIntake(.messages(handler), of: socket)
    }

    /// Stops taking messages from a socket; its queue fills up to the high-water mark, and then the peers must wait.
    ///
    /// Publishers do not wait: they drop messages for which a paused ``Sub`` or ``XSub`` has no room.
    ///
    /// Sending still works. If a handler pauses its own socket, the handler gets no message after the current one until
    /// the socket is resumed.
    ///
    /// - Parameter socket: The socket.
    public func pause<Kind: ReceivingSocket>(_ socket: Socket<Kind>) {
        setPaused(true, socket)
    }

    /// Takes messages from a paused socket again, starting with the queued messages.
    ///
    /// - Parameter socket: The socket.
    public func resume<Kind: ReceivingSocket>(_ socket: Socket<Kind>) {
        setPaused(false, socket)
    }

    /// Sends a whole message on a socket, without waiting.
    ///
    /// - Parameters:
    ///   - message: The message, with at least one frame.
    ///   - socket: The socket. An ``XPub`` sends the message to each subscriber with a subscription that is a prefix of
    ///     the first frame. An ``XSub`` sends the message to its publishers. Both silently drop the message for a peer
    ///     whose queue is full.
    /// - Returns: The outcome. For a ``Dealer`` that has not been connected or bound yet, it is ``SendOutcome/full``.
    @inlinable
    @discardableResult
    public func send(_ message: Message, on socket: Socket<some SendingSocket>) -> SendOutcome {
        send(message, token: socket.token)
    }

    @usableFromInline
    func send(_ message: Message, token: SocketToken) -> SendOutcome {
        guard let socket = sockets[token] else { return .unreachable }
        return message.send(on: socket.handle)
    }

    /// Calls a closure once, as soon as a socket can send a message.
    ///
    /// A ``Router`` cannot be passed, because libzmq reports only that *some* peer of a router has room.
    ///
    /// - Parameters:
    ///   - socket: The socket; for a closed socket the closure is not called.
    ///   - work: The closure; it must not block. It is also called when the socket is closed, and then finds it
    ///     ``SendOutcome/unreachable``.
    public func whenWritable(
        _ socket: Socket<some DirectSocket>,
        _ work: @escaping () -> Void
    ) {
        guard let socket = sockets[socket.token] else { return }
        socket.writableWork.append(work)
        pollSet.update(socket)
    }

    func setIntake<Kind>(_ intake: OpenSocket.Intake, of socket: Socket<Kind>) {
        guard let socket = sockets[socket.token] else { return }
        socket.leftovers += socket.inbox.yield()
        socket.intake = intake
        socket.isStalled = false
        pollSet.update(socket)
        serveLeftovers(of: socket)
    }

    /// Passes what was read ahead to the handler soon; what a turn reads before that comes after it, too.
    private func serveLeftovers(of socket: OpenSocket) {
        guard !socket.leftovers.isEmpty else { return }
        let token = socket.token
        submit { reactor in reactor.sockets[token].map { reactor.takeMessages(from: $0) } }
    }

    /// Lets tasks take the messages of a socket: reads on into its inbox, unless a handler has been set meanwhile.
    func readOn(_ token: SocketToken) {
        guard let socket = sockets[token], socket.inbox.isFed else { return }
        if case .subscriptions = socket.intake { return }
        socket.intake = .inbox
        let isStalled = !deliverLeftovers(of: socket)
        if socket.isStalled != isStalled { socket.isStalled = isStalled }
        pollSet.update(socket)
    }

    /// Gives the inbox back what a handler has not got.
    ///
    /// - Returns: Whether the inbox has room for more messages.
    private func deliverLeftovers(of socket: OpenSocket) -> Bool {
        var left = Array(exchange(&socket.leftovers, with: []))
        return left.isEmpty || socket.inbox.deliver(&left, bytes: left.reduce(0) { $0 + $1.sizeInBytes })
    }

    private func setPaused<Kind>(_ isPaused: Bool, _ socket: Socket<Kind>) {
        guard let socket = sockets[socket.token], socket.isPaused != isPaused else { return }
        socket.isPaused = isPaused
        pollSet.update(socket)
        if !isPaused { serveLeftovers(of: socket) }
    }
}

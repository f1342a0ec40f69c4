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
        if let socket = sockets[socket.token] { setPaused(true, socket) }
    }

    /// Takes messages from a paused socket again, starting with the queued messages.
    ///
    /// - Parameter socket: The socket.
    public func resume<Kind: ReceivingSocket>(_ socket: Socket<Kind>) {
        if let socket = sockets[socket.token] { setPaused(false, socket) }
    }

    /// Sends a whole message on a socket, without waiting.
    ///
    /// - Parameters:
    ///   - message: The message, with at least one frame.
    ///   - socket: The socket. An ``XPub`` sends the message to each subscriber with a subscription that is a prefix of
    ///     the first frame. An ``XSub`` sends the message to its publishers. Both silently drop the message for a peer
    ///     whose queue is full.
    /// - Returns: The outcome. For a socket that has not been connected or bound yet, it is ``SendOutcome/full``.
    @inlinable
    @discardableResult
    public func send(_ message: Message, on socket: Socket<some SendingSocket>) -> SendOutcome {
        send(message, token: socket.token)
    }

    @usableFromInline
    func send(_ message: Message, token: SocketToken) -> SendOutcome {
        guard let socket = sockets[token] else { return .unreachable }
        return socket.line.isEmpty ? message.send(on: socket.handle) : .full
    }

    /// Sends a message, and returns when the socket has accepted it.
    ///
    /// Only the calling task waits; the reactor's thread does not. Tasks that wait keep their order. Only an answer proves
    /// that the peer has the message.
    ///
    /// - Parameters:
    ///   - message: The message, with at least one frame.
    ///   - socket: The socket.
    ///   - time: The longest time to wait.
    /// - Throws: ``ZeroMQError``: `deadline`, `cancelled`, `closed`, `state` for a ``Req`` or ``Rep`` whose turn it is not,
    ///   or `invalid_message` for a message without frames. In each case the message was not sent.
    public func send(
        _ message: Message,
        on socket: Socket<some SendingSocket>,
        within time: Duration
    ) async throws(ZeroMQError) {
        let late = { Errors.deadline("The socket had no room for the message within \(time)") }
        try await wait(on: socket, within: time, late: late) { open, wait in
            enter(message, of: wait, on: open, endsWhenSent: true)
        }
    }

    /// Sends a message of a task, or lets it wait in line.
    func enter(_ message: Message, of wait: WaitID, on socket: OpenSocket, endsWhenSent: Bool) -> Beginning {
        let outcome = socket.line.isEmpty ? message.send(on: socket.handle) : .full
        switch outcome {
        case .sent: return endsWhenSent ? .over(nil) : .waits
        case .full:
            socket.line.append((wait, message, endsWhenSent))
            pollSet.update(socket)
            return .waits
        case .unreachable, .refused: return .over(Errors.unsent(message, outcome))
        }
    }

    /// Sends what waits in line, as far as there is room.
    func moveLine(of socket: OpenSocket) {
        while let (wait, message, endsWhenSent) = socket.line.first {
            let outcome = message.send(on: socket.handle)
            if outcome == .full { return }
            socket.line.removeFirst()
            if outcome != .sent { end(wait, Errors.unsent(message, outcome)) } else if endsWhenSent { end(wait, nil) }
        }
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
        _ socket: Socket<some SendingSocket>,
        _ work: @escaping () -> Void
    ) {
        guard let socket = sockets[socket.token] else { return }
        socket.writableWork.append(work)
        pollSet.update(socket)
    }

    func setIntake<Kind>(_ intake: OpenSocket.Intake, of socket: Socket<Kind>) {
        if let socket = sockets[socket.token] { setIntake(intake, of: socket) }
    }

    func setIntake(_ intake: OpenSocket.Intake, of socket: OpenSocket) {
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

    /// Reads a socket ahead if nobody has asked for its messages yet, because something else is to come among them.
    func readAhead(_ socket: OpenSocket) {
        guard case .none = socket.intake else { return }
        socket.inbox.feed()
        readOn(socket.token)
    }

    /// Lets tasks take the messages of a socket: reads on into its inbox, unless a handler has been set meanwhile.
    func readOn(_ token: SocketToken) {
        guard let socket = sockets[token], socket.inbox.isFed else { return }
        switch socket.intake {
        case .subscriptions, .proxy: return
        case .none, .messages, .inbox: socket.intake = .inbox
        }
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

    func setPaused(_ isPaused: Bool, _ socket: OpenSocket) {
        guard socket.isPaused != isPaused else { return }
        socket.isPaused = isPaused
        pollSet.update(socket)
        if !isPaused { serveLeftovers(of: socket) }
    }
}

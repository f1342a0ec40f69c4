import CZeroMQ

/// The data path: everything here runs on the reactor's thread and never waits.
extension Reactor {
    /// Calls a handler for each message that the socket receives, on the reactor's thread.
    ///
    /// A turn takes at most 256 messages or 1 MiB (``ReactorOptions``), then serves other sockets, timers and commands.
    /// A second call replaces the handler. Messages without a handler stay in the socket's queue.
    ///
    /// - Parameters:
    ///   - socket: The socket; a closed one receives nothing.
    ///   - handler: Called with each message and the peer it came from; it must not block.
    public func receive(
        _ socket: Socket<Router>,
        _ handler: @escaping @Sendable (isolated Reactor, PeerID, Message) -> Void
    ) {
        setIntake(.routed(handler), of: socket)
    }

    /// Calls a handler for each message that the socket receives, on the reactor's thread.
    ///
    /// The same as for a ``Router``, without a peer.
    ///
    /// - Parameters:
    ///   - socket: The socket; a closed one receives nothing.
    ///   - handler: Called with each message; it must not block.
    public func receive<Kind: ReceivingSocket>(
        _ socket: Socket<Kind>,
        _ handler: @escaping @Sendable (isolated Reactor, Message) -> Void
    ) {
        setIntake(.messages(handler), of: socket)
    }

    /// Stops taking messages from a socket; they queue up, and at the high-water mark the peers must wait.
    ///
    /// Publishers do not wait: they drop messages for which a paused ``Sub`` or ``XSub`` has no room.
    ///
    /// Sending continues. In a handler the pause takes effect after the current message.
    ///
    /// - Parameter socket: The socket.
    public func pause<Kind: PausableSocket>(_ socket: Socket<Kind>) {
        setPaused(true, socket)
    }

    /// Takes messages from a paused socket again, starting with the queued ones.
    ///
    /// - Parameter socket: The socket.
    public func resume<Kind: PausableSocket>(_ socket: Socket<Kind>) {
        setPaused(false, socket)
    }

    /// Sends a message on a socket: all of it or nothing, without waiting.
    ///
    /// - Parameters:
    ///   - message: The message, with at least one frame.
    ///   - socket: The socket. An ``XPub`` sends to the subscribers of the first frame, an ``XSub`` upstream; both drop
    ///     messages without room and are never full.
    /// - Returns: The outcome; ``SendOutcome/full`` also for a ``Dealer`` that has not been connected or bound yet.
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

    /// Calls a closure once, when a socket can send: for the first time, or again after it was full.
    ///
    /// A ``Router`` has no such call: libzmq only reports that *some* peer has room.
    ///
    /// - Parameters:
    ///   - socket: The socket; for a closed one nothing is called.
    ///   - work: The closure; it must not block.
    public func whenWritable(
        _ socket: Socket<some DirectSocket>,
        _ work: @escaping @Sendable (isolated Reactor) -> Void
    ) {
        guard let socket = sockets[socket.token] else { return }
        socket.writableWork.append(work)
        pollSet.update(socket)
    }

    func setIntake<Kind>(_ intake: OpenSocket.Intake, of socket: Socket<Kind>) {
        guard let socket = sockets[socket.token] else { return }
        socket.intake.finish()
        socket.intake = intake
        socket.isStalled = false
        pollSet.update(socket)
    }

    /// Records that a message sequence is full, or has room again.
    func setStalled(_ isStalled: Bool, _ token: SocketToken) {
        guard let socket = sockets[token], socket.isStalled != isStalled else { return }
        socket.isStalled = isStalled
        pollSet.update(socket)
    }

    private func setPaused<Kind>(_ isPaused: Bool, _ socket: Socket<Kind>) {
        guard let socket = sockets[socket.token], socket.isPaused != isPaused else { return }
        socket.isPaused = isPaused
        pollSet.update(socket)
    }
}

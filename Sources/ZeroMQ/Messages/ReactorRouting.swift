import CZeroMQ

/// Sending to one of many peers.
extension Reactor {
    /// Sends a whole message to one peer, without waiting.
    ///
    /// libzmq has a queue for each connected peer, so a full peer does not delay other peers.
    ///
    /// - Parameters:
    ///   - message: The message, with at least one frame.
    ///   - socket: The socket that received messages from the peer.
    ///   - peer: The peer to send the message to.
    /// - Returns: ``SendOutcome/sent``, ``SendOutcome/unreachable`` if the peer is not connected, or
    ///   ``SendOutcome/full``. The outcome is also `full` while tasks wait for room at the peer, because a new message
    ///   never overtakes theirs.
    @discardableResult
    public func send(_ message: Message, on socket: Socket<some RoutingSocket>, to peer: PeerID) -> SendOutcome {
        guard let socket = sockets[socket.token] else { return .unreachable }
        return send(message, on: socket, to: peer)
    }

    /// Sends an answer to the peer that sent a message, without waiting.
    ///
    /// - Parameters:
    ///   - answer: The answer, with at least one frame.
    ///   - message: The message that the socket received.
    ///   - socket: The socket.
    /// - Returns: The outcome, as ``send(_:on:to:)`` returns it; ``SendOutcome/unreachable`` if the message has no
    ///   ``Message/peer``.
    @discardableResult
    public func reply(_ answer: Message, to message: Message, on socket: Socket<some RoutingSocket>) -> SendOutcome {
        guard let peer = message.peer else { return .unreachable }
        return send(answer, on: socket, to: peer)
    }

    /// Sends a message as ``send(_:on:to:)`` does, and calls a closure when the message has left libzmq's queue.
    ///
    /// A message leaves the queue when libzmq has written it to the connection, or when the connection has ended. Use
    /// this method for large messages. libzmq limits the number of messages in a queue, but not their bytes. A sender
    /// that waits for the closure before it sends the next message keeps few bytes in the queue.
    ///
    /// - Parameters:
    ///   - message: The message; the closure is called when libzmq frees its last frame.
    ///   - socket: The socket that received messages from the peer.
    ///   - peer: The peer to send the message to.
    ///   - whenLeft: Called once on the reactor's thread if the outcome is ``SendOutcome/sent``, unless the reactor
    ///     shuts down first.
    /// - Returns: The outcome, as ``send(_:on:to:)`` returns it.
    @discardableResult
    public func send(
        _ message: Message,
        on socket: Socket<some RoutingSocket>,
        to peer: PeerID,
        whenLeft: @escaping () -> Void
    ) -> SendOutcome {
        guard let socket = sockets[socket.token] else { return .unreachable }
        // libzmq frees the frame on any thread, and only the reactor's may have the closure.
        lastDeparture += 1
        let number = lastDeparture
        departures[number] = whenLeft
        let outcome = send(message, on: socket, to: peer) { [self] in
            submit { $0.departures.removeValue(forKey: number)?() }
        }
        if outcome != .sent { departures[number] = nil }
        return outcome
    }

    /// Sends a message to one peer, and returns when libzmq's queue for the peer has accepted the message.
    ///
    /// Only the calling task waits; the reactor's thread does not. Only an answer proves that the peer has the message.
    ///
    /// - Parameters:
    ///   - message: The message, with at least one frame.
    ///   - socket: The socket that received messages from the peer.
    ///   - peer: The peer to send the message to.
    ///   - time: The longest time to wait.
    /// - Throws: ``ZeroMQError``: `peer_unreachable`, `deadline`, `cancelled`, `closed`, or `invalid_message` for a message
    ///   without frames. In each case the message was not sent.
    public func send(
        _ message: Message,
        on socket: Socket<some RoutingSocket>,
        to peer: PeerID,
        within time: Duration
    ) async throws(ZeroMQError) {
        let late = { Errors.deadline("The peer's queue had no room for the message within \(time)") }
        try await wait(on: socket, within: time, late: late) { open, wait in
            switch send(message, on: open, to: peer) {
            case .sent: return .over(nil)
            case .unreachable: return .over(Errors.peerUnreachable)
            case .refused: return .over(Errors.unsent(message, .refused))
            case .full:
                open.lines.add(message, of: wait, for: peer, at: .now)
                retryLater(open)
                return .waits
            }
        }
    }

    private func send(
        _ message: Message,
        on socket: OpenSocket,
        to peer: PeerID,
        onDeparture: (@Sendable () -> Void)? = nil
    ) -> SendOutcome {
        if socket.lines.contain(peer) { return .full }
        // A STREAM takes a second frame for the id of the next message.
        if socket.kind == ZMQ_STREAM, message.count != 1 { return .refused }
        return message.send(on: socket.handle, to: peer, onDeparture: onDeparture)
    }

    /// Schedules the next retry of the lines of full peers.
    private func retryLater(_ socket: OpenSocket) {
        guard let due = socket.lines.due else { return }
        if let retry = socket.retry {
            if retry.moment <= due { return }
            cancel(retry.timer)
        }
        let token = socket.token
        let timer = schedule(at: due) { [self] in
            guard let socket = sockets[token] else { return }
            socket.retry = nil
            let ended = socket.lines.retry(at: .now) { $0.send(on: socket.handle, to: $1) }
            retryLater(socket)
            for (wait, outcome) in ended { end(wait, outcome == .sent ? nil : Errors.peerUnreachable) }
        }
        socket.retry = (timer, due)
    }
}

import CZeroMQ

/// Sending to one of many peers.
extension Reactor {
    /// Sends a whole message to one peer, without waiting.
    ///
    /// libzmq has a queue for each connected peer. If the peer's queue is full, the message is kept in the peer's
    /// outbox (``OutboxLimits``), and sent in order when the queue has room. A full peer does not delay other peers.
    ///
    /// - Parameters:
    ///   - message: The message, with at least one frame.
    ///   - socket: The socket that received messages from the peer.
    ///   - peer: The peer to send the message to.
    ///   - deadline: When to drop the message if it still waits in the outbox; nil means never. The message may be
    ///     dropped up to 100 ms late.
    /// - Returns: The outcome. If it is ``SendOutcome/queued`` and the message cannot be sent later, the handler of
    ///   ``onUndelivered(_:_:)`` is called.
    @discardableResult
    public func send(
        _ message: Message,
        on socket: Socket<Router>,
        to peer: PeerID,
        before deadline: ContinuousClock.Instant? = nil
    ) -> SendOutcome {
        guard let socket = sockets[socket.token] else { return .unreachable }
        return send(message, on: socket, to: peer, else: Outboxes.Entry(message, deadline: deadline))
    }

    /// Sends a message to one peer if the peer's queue has room now; otherwise the sender keeps the message.
    ///
    /// - Parameters:
    ///   - message: The message, with at least one frame.
    ///   - socket: The socket that received messages from the peer.
    ///   - peer: The peer to send the message to.
    /// - Returns: ``SendOutcome/sent``, ``SendOutcome/unreachable`` if the peer is not connected, or
    ///   ``SendOutcome/full``. The outcome is also `full` while the peer's outbox holds messages, because a new message
    ///   never overtakes older messages. This applies even if the peer has disconnected.
    @discardableResult
    public func offer(_ message: Message, on socket: Socket<Router>, to peer: PeerID) -> SendOutcome {
        guard let socket = sockets[socket.token] else { return .unreachable }
        guard socket.outboxes.count(for: peer) == 0 else { return .full }
        return message.send(on: socket.handle, to: peer)
    }

    /// Sends a message as ``offer(_:on:to:)`` does, and calls a closure when the message has left libzmq's queue.
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
    /// - Returns: The outcome, as ``offer(_:on:to:)`` returns it.
    @discardableResult
    public func offer(
        _ message: Message,
        on socket: Socket<Router>,
        to peer: PeerID,
        whenLeft: @escaping @Sendable (isolated Reactor) -> Void
    ) -> SendOutcome {
        guard let socket = sockets[socket.token] else { return .unreachable }
        guard socket.outboxes.count(for: peer) == 0 else { return .full }
        return message.send(on: socket.handle, to: peer) { [self] in submit(whenLeft) }
    }

    /// Sends a message to one peer, and returns when libzmq's queue for the peer has accepted the message.
    ///
    /// Only the calling task waits; the reactor's thread does not. Only an answer proves that the peer has the message.
    ///
    /// - Parameters:
    ///   - message: The message, with at least one frame.
    ///   - socket: The socket that received messages from the peer.
    ///   - peer: The peer to send the message to.
    ///   - time: The longest time to wait; the timeout may come up to 100 ms late.
    /// - Throws: ``ZeroMQError``: `peer_unreachable`; `peer_full` if the peer's queue and outbox are full; `deadline`
    ///   if the time is over; or `closed`. In each case the message was not sent.
    public func deliver(
        _ message: Message,
        on socket: Socket<Router>,
        to peer: PeerID,
        within time: Duration
    ) async throws(ZeroMQError) {
        let end = await withCheckedContinuation { continuation in
            deliver(message, on: socket, to: peer, within: time) { continuation.resume(returning: $0) }
        }
        if let error = end { throw error }
    }

    /// Calls a handler for each message that was ``SendOutcome/queued`` and did not reach its peer's queue.
    ///
    /// A second call replaces the handler.
    ///
    /// - Parameters:
    ///   - socket: The socket whose outboxes are observed.
    ///   - handler: Called on the reactor's thread with the message and the reason; it must not block.
    public func onUndelivered(
        _ socket: Socket<Router>,
        _ handler: @escaping @Sendable (isolated Reactor, Undelivered) -> Void
    ) {
        sockets[socket.token]?.undeliveredHandler = handler
    }

    /// Waits until a socket's outboxes are empty: each message was passed to libzmq or given up.
    ///
    /// Returns immediately if the task is cancelled.
    ///
    /// - Parameters:
    ///   - socket: The socket; a closed socket has no outboxes.
    ///   - time: The longest time to wait.
    /// - Returns: Whether the outboxes are empty.
    @discardableResult
    public func flushOutboxes(of socket: Socket<Router>, within time: Duration) async -> Bool {
        let deadline = ContinuousClock.now + time
        while let open = sockets[socket.token], !open.outboxes.isEmpty {
            guard ContinuousClock.now < deadline else { return false }
            // `Task.sleep` and not a reactor timer: a reactor drops its timers when it ends, and this task would wait
            // forever.
            let pause = max((open.outboxes.due ?? .now) - .now, RetryPace.shortestPause)
            do { try await Task.sleep(for: pause) } catch { return open.outboxes.isEmpty }
        }
        return true
    }
}

extension Reactor {
    /// Sends a message, or adds the entry to the peer's outbox if the peer's queue is full.
    private func send(
        _ message: Message,
        on socket: OpenSocket,
        to peer: PeerID,
        else entry: @autoclosure () -> Outboxes.Entry
    ) -> SendOutcome {
        // A message never overtakes the messages that already wait.
        if socket.outboxes.count(for: peer) == 0 {
            let outcome = message.send(on: socket.handle, to: peer)
            guard outcome == .full else { return outcome }
        }
        guard socket.outboxes.add(entry(), for: peer, at: .now) else { return .full }
        retryLater(socket)
        return .queued
    }

    private func deliver(
        _ message: Message,
        on socket: Socket<Router>,
        to peer: PeerID,
        within time: Duration,
        _ end: @escaping @Sendable (ZeroMQError?) -> Void
    ) {
        guard let socket = sockets[socket.token] else { return end(Errors.closed("\(socket)")) }
        let entry = Outboxes.Entry(message, deadline: .now + time) { reason in
            switch reason {
            case .sent: end(nil)
            case .undelivered(.peerUnreachable): end(Errors.peerUnreachable)
            case .undelivered(.deadline):
                end(Errors.deadline("The peer's queue had no room for the message within \(time)"))
            case .undelivered(.closed): end(Errors.closed("The socket"))
            }
        }
        switch send(message, on: socket, to: peer, else: entry) {
        case .sent: end(nil)
        case .queued: break
        case .unreachable: end(Errors.peerUnreachable)
        case .full:
            end(
                Errors.peerFull
            )
        }
    }

    /// Schedules the next retry of the socket's outboxes.
    private func retryLater(_ socket: OpenSocket) {
        guard let due = socket.outboxes.due else { return }
        if let retry = socket.outboxRetry {
            if retry.moment <= due { return }
            cancel(retry.timer)
        }
        let token = socket.token
        let timer = schedule(at: due) { reactor in
            guard let socket = reactor.sockets[token] else { return }
            socket.outboxRetry = nil
            let ended = socket.outboxes.retry(at: .now) { $0.send(on: socket.handle, to: $1) }
            reactor.retryLater(socket)
            reactor.tell(ended, of: socket)
        }
        socket.outboxRetry = (timer, due)
    }

    /// Reports messages that left the outboxes.
    ///
    /// If a task waits for a message, the task learns whether it was sent. Otherwise the handler of `onUndelivered`
    /// gets the message if it was not sent.
    func tell(_ ended: [Outboxes.Ended], of socket: OpenSocket) {
        for ended in ended {
            if let onEnd = ended.entry.onEnd {
                onEnd(ended.end)
            } else if case .undelivered(let reason) = ended.end {
                let undelivered = Undelivered(peer: ended.peer, message: ended.entry.message, reason: reason)
                socket.undeliveredHandler?(self, undelivered)
            }
        }
    }
}

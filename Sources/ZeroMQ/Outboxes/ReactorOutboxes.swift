import CZeroMQ

/// Sending to one of many peers.
extension Reactor {
    /// Sends a message to one peer: all of it or nothing, without waiting.
    ///
    /// When the peer's queue is full the message goes into the peer's outbox (``OutboxLimits``) and is sent once there
    /// is room, in order. A full peer does not hold up others.
    ///
    /// - Parameters:
    ///   - message: The message, with at least one frame.
    ///   - socket: The socket that received from that peer.
    ///   - peer: The receiver.
    ///   - deadline: When to give the message up while it waits in the outbox, up to 100 ms late; never, by default.
    /// - Returns: The outcome. After ``SendOutcome/queued``, ``onUndelivered(_:_:)`` reports a message that does not
    ///   get out.
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

    /// Sends a message to one peer if the peer's queue has room now; nothing is kept for later.
    ///
    /// The outcome also says whether the peer is still connected, because a full peer is.
    ///
    /// - Parameters:
    ///   - message: The message, with at least one frame.
    ///   - socket: The socket that received from that peer.
    ///   - peer: The receiver.
    /// - Returns: The outcome: ``SendOutcome/full`` also while messages wait in the peer's outbox, because this message
    ///   does not overtake them; then ``onUndelivered(_:_:)`` reports that the peer is gone. Never
    ///   ``SendOutcome/queued``.
    @discardableResult
    public func offer(_ message: Message, on socket: Socket<Router>, to peer: PeerID) -> SendOutcome {
        guard let socket = sockets[socket.token] else { return .unreachable }
        guard socket.outboxes.count(for: peer) == 0 else { return .full }
        return message.send(on: socket.handle, to: peer)
    }

    /// Offers a message to one peer, and calls back when libzmq has freed it: it was written to the connection, or the
    /// connection is gone.
    ///
    /// For large messages: a queue is bounded by a number of messages, so a sender that waits for this callback before
    /// the next message keeps few bytes in it.
    ///
    /// - Parameters:
    ///   - message: The message; its last frame is the one that is waited for.
    ///   - socket: The socket that received from that peer.
    ///   - peer: The receiver.
    ///   - whenLeft: Called once on the reactor's thread if the message was sent and the reactor still runs.
    /// - Returns: The outcome, as of ``offer(_:on:to:)``.
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

    /// Sends a message to one peer and returns when the peer's queue has accepted it.
    ///
    /// Only the task waits, at most for the given time; the reactor does not.
    ///
    /// - Parameters:
    ///   - message: The message, with at least one frame.
    ///   - socket: The socket that received from that peer.
    ///   - peer: The receiver.
    ///   - time: How long it may take; the timeout is noticed up to 100 ms late.
    /// - Throws: ``ZeroMQError`` with code `peer_unreachable`, `peer_full` when the outbox is full, too, `deadline`, or
    ///   `closed`. In each case nothing was sent.
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
    /// - Parameters:
    ///   - socket: The socket.
    ///   - handler: Called with the message; it must not block. A second call replaces the handler.
    public func onUndelivered(
        _ socket: Socket<Router>,
        _ handler: @escaping @Sendable (isolated Reactor, Undelivered) -> Void
    ) {
        sockets[socket.token]?.undeliveredHandler = handler
    }

    /// Waits until the outboxes are empty: each message was passed to libzmq or given up.
    ///
    /// - Parameters:
    ///   - socket: The socket; a closed one has no outboxes.
    ///   - time: How long to wait at most.
    /// - Returns: Whether they are empty; returns immediately when the task is cancelled.
    @discardableResult
    public func flushOutboxes(of socket: Socket<Router>, within time: Duration) async -> Bool {
        let deadline = ContinuousClock.now + time
        while let open = sockets[socket.token], !open.outboxes.isEmpty {
            guard ContinuousClock.now < deadline else { return false }
            // Not a reactor timer: those end with the reactor, and this task would then wait for ever.
            let pause = max((open.outboxes.due ?? .now) - .now, RetryPace.shortestPause)
            do { try await Task.sleep(for: pause) } catch { return open.outboxes.isEmpty }
        }
        return true
    }
}

extension Reactor {
    /// Sends a message, or queues it as this entry.
    private func send(
        _ message: Message,
        on socket: OpenSocket,
        to peer: PeerID,
        else entry: @autoclosure () -> Outboxes.Entry
    ) -> SendOutcome {
        // A message never overtakes those that already wait.
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
        guard let socket = sockets[socket.token] else { return end(.closed("\(socket)")) }
        let entry = Outboxes.Entry(message, deadline: .now + time) { reason in
            switch reason {
            case .sent: end(nil)
            case .undelivered(.peerUnreachable): end(.peerUnreachable)
            case .undelivered(.deadline): end(.deadline("The peer had no room for the message within \(time)"))
            case .undelivered(.closed): end(.closed("The socket"))
            }
        }
        switch send(message, on: socket, to: peer, else: entry) {
        case .sent: end(nil)
        case .queued: break
        case .unreachable: end(.peerUnreachable)
        case .full:
            end(
                ZeroMQError(
                    .peerFull,
                    "The peer's queue and its outbox are full: it reads more slowly than it is written to.",
                    next: "Wait, or give the peer up."
                )
            )
        }
    }

    /// Schedules the retry of the next line.
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

    /// Reports the entries that left the outboxes to their senders or to the handler.
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

extension ZeroMQError {
    fileprivate static let peerUnreachable = ZeroMQError(
        .peerUnreachable,
        "The peer is not connected to this socket any more.",
        next: "Wait until it comes back and speaks: it then has another PeerID."
    )

    /// The error for a timeout.
    static func deadline(_ sentence: String) -> ZeroMQError {
        ZeroMQError(.deadline, "\(sentence).", next: "Give it more time, or look at the other side.")
    }
}

import CZeroMQ

/// Subscribing to topics, and learning when publishers know the subscriptions.
extension Reactor {
    /// Subscribes to topics; messages of these topics begin to arrive some time later.
    ///
    /// Subscribing to a topic again has no effect. ``onSubscribed(_:_:)`` reports when a publisher knows the topics.
    ///
    /// - Parameters:
    ///   - socket: The socket that subscribes.
    ///   - topics: The topics; ``TopicPrefix/everything`` subscribes to all topics.
    /// - Throws: ``ZeroMQError`` with code `closed`.
    public func subscribe<Kind: SubscribingSocket>(
        _ socket: Socket<Kind>,
        to topics: Set<TopicPrefix>
    ) throws(ZeroMQError) {
        let socket = try find(socket)
        let change = socket.subscription.change(adding: topics)
        carryOut(change, on: socket)
    }

    /// Cancels subscriptions.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - topics: The topics; a topic without a subscription is ignored.
    /// - Throws: ``ZeroMQError`` with code `closed`.
    public func unsubscribe<Kind: SubscribingSocket>(
        _ socket: Socket<Kind>,
        from topics: Set<TopicPrefix>
    ) throws(ZeroMQError) {
        let socket = try find(socket)
        let change = socket.subscription.change(adding: [], removing: topics)
        carryOut(change, on: socket)
    }

    /// Subscribes to topics, and returns when publishers have confirmed the subscriptions.
    ///
    /// Messages that are published after this call returns arrive, unless the connection is lost or a queue is full.
    ///
    /// Only some publishers confirm: this module's ``XPub``, and other publishers that send back, as a message, each
    /// subscription that begins with 0xFF. The confirmation arrives among the messages: without a handler, the reactor reads
    /// the socket ahead from now on.
    ///
    /// - Parameters:
    ///   - socket: The socket, bound or connected.
    ///   - topics: The topics to add; an empty set waits for a confirmation of the existing subscriptions.
    ///   - publishers: The number of publishers that must confirm. A publisher confirms once for each connection, so a
    ///     publisher that reconnects meanwhile counts twice.
    ///   - time: The longest time to wait. The subscriptions stay, also after a timeout.
    /// - Throws: ``ZeroMQError`` with code `deadline`, `cancelled` or `closed`.
    public func subscribe<Kind: SubscribingSocket>(
        _ socket: Socket<Kind>,
        to topics: Set<TopicPrefix>,
        knownTo publishers: Int = 1,
        within time: Duration
    ) async throws(ZeroMQError) {
        let late = {
            Errors.deadline("Too few publishers (\(publishers) wanted) confirmed the subscriptions within \(time)")
        }
        try await wait(on: socket, within: time, late: late) { open, wait in
            open.subscription.waits[wait] = SubscriptionWait(publishers: publishers)
            carryOut(open.subscription.change(adding: topics), on: open)
            readAhead(open)
            return .waits
        }
    }

    /// Calls a handler each time a publisher confirms that the publisher knows all subscriptions.
    ///
    /// A publisher confirms after each change and after each reconnection. Messages published while the connection was
    /// down are lost, so use the handler to request the current state. A second call replaces the handler. Only some
    /// publishers confirm, as ``subscribe(_:to:knownTo:within:)`` describes.
    ///
    /// - Parameters:
    ///   - socket: The socket that subscribes.
    ///   - handler: Called at each confirmation on the reactor's thread; it must not block.
    public func onSubscribed<Kind: SubscribingSocket>(
        _ socket: Socket<Kind>,
        _ handler: @escaping () -> Void
    ) {
        guard let open = sockets[socket.token] else { return }
        open.subscription.handler = handler
        // Topics that were subscribed to before are confirmed, too.
        if open.subscription.sentinel == nil, !open.subscription.topics.isEmpty {
            carryOut(open.subscription.change(), on: open)
        }
    }

    /// Handles the echo of a sentinel; ignores the echo of an old sentinel or of another subscriber's sentinel.
    func takeAcknowledgement(_ message: Message, of socket: OpenSocket) {
        guard let sentinel = socket.subscription.sentinel, message[0].elementsEqual(sentinel.bytes) else { return }
        for wait in socket.subscription.acknowledged() { end(wait, nil) }
        socket.subscription.handler?()
    }

    /// Sends the changed topics first, then the new sentinel, if there is one.
    ///
    /// So a publisher that echoes the sentinel has read all changed topics.
    private func carryOut(_ change: Subscription.Change, on socket: OpenSocket) {
        for topic in change.added { socket.setSubscribed(true, topic.bytes) }
        for topic in change.removed { socket.setSubscribed(false, topic.bytes) }
        if let new = change.newSentinel { socket.setSubscribed(true, new.bytes) }
        if let old = change.oldSentinel { socket.setSubscribed(false, old.bytes) }
    }
}

extension OpenSocket {
    fileprivate func setSubscribed(_ isSubscribed: Bool, _ prefix: [UInt8]) {
        if kind == ZMQ_XSUB {
            // An XSUB subscribes by sending a byte, 1 or 0, and the prefix.
            _ = Message([[isSubscribed ? 1 : 0] + prefix]).send(on: handle)
        } else {
            // Neither option fails on an open SUB.
            _ = zmq_setsockopt(handle, isSubscribed ? ZMQ_SUBSCRIBE : ZMQ_UNSUBSCRIBE, prefix, prefix.count)
        }
    }
}

import CZeroMQ

/// Subscribing to topics, and knowing that it is known.
extension Reactor {
    /// Subscribes to topics; what is published under them begins to come some time later.
    ///
    /// Subscribing again to a topic does nothing. An echo tells when a publisher knows: ``onSubscribed(_:_:)``.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - topics: The topics; ``TopicPrefix/everything`` for all.
    /// - Throws: ``ZeroMQError`` with code `closed`.
    public func subscribe<Kind: SubscribingSocket>(
        _ socket: Socket<Kind>,
        to topics: Set<TopicPrefix>
    ) throws(ZeroMQError) {
        let socket = try find(socket)
        let change = socket.subscription.change(adding: topics)
        carryOut(change, on: socket)
    }

    /// Takes subscriptions back.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - topics: The topics; those it has not subscribed to do not matter.
    /// - Throws: ``ZeroMQError`` with code `closed`.
    public func unsubscribe<Kind: SubscribingSocket>(
        _ socket: Socket<Kind>,
        from topics: Set<TopicPrefix>
    ) throws(ZeroMQError) {
        let socket = try find(socket)
        let change = socket.subscription.change(adding: [], removing: topics)
        carryOut(change, on: socket)
    }

    /// Subscribes to topics and returns when publishers have said that they know.
    ///
    /// What they publish from now on is sent here, for as long as the connection lasts and the queue has room.
    ///
    /// Publishers that answer are those of this module's ``XPub``, and others that send a subscription beginning with
    /// 0xFF back as a message. Messages have to be asked for beforehand, because the answer comes among them.
    ///
    /// - Parameters:
    ///   - socket: The socket, bound or connected, whose messages somebody takes.
    ///   - topics: The topics; with none it waits for what is subscribed to already.
    ///   - publishers: How many have to answer. Each does once for a connection, so one that reconnects meanwhile counts
    ///     twice.
    ///   - time: How long to wait at most. The subscriptions stay, also when it is over.
    /// - Throws: ``ZeroMQError`` with code `deadline`, or `closed`.
    public func subscribe<Kind: SubscribingSocket>(
        _ socket: Socket<Kind>,
        to topics: Set<TopicPrefix>,
        knownTo publishers: Int = 1,
        within time: Duration
    ) async throws(ZeroMQError) {
        let error: ZeroMQError? = await withCheckedContinuation { continuation in
            guard let open = sockets[socket.token] else { return continuation.resume(returning: .closed("\(socket)")) }
            let change = open.subscription.change(adding: topics)
            let wait = SubscriptionWait(publishers: publishers) { continuation.resume(returning: $0) }
            open.subscription.waits.append(wait)
            carryOut(change, on: open)
            wait.timer = schedule(at: .now + time) { reactor in
                reactor.sockets[socket.token]?.subscription.waits.removeAll { $0 === wait }
                wait.end(.deadline("\(publishers) publishers did not answer within \(time)"))
            }
        }
        if let error { throw error }
    }

    /// Calls a handler whenever a publisher says that it knows every subscription: after each change, and after each
    /// reconnection.
    ///
    /// What was published while the connection was down is lost; this is the moment to ask for what may have changed.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - handler: What to do; it must not block. A second call replaces the handler.
    public func onSubscribed<Kind: SubscribingSocket>(
        _ socket: Socket<Kind>,
        _ handler: @escaping @Sendable (isolated Reactor) -> Void
    ) {
        sockets[socket.token]?.subscription.handler = handler
    }

    /// Takes in the echo of a sentinel, which may be somebody else's or an old one.
    func takeAcknowledgement(_ message: Message, of socket: OpenSocket) {
        guard let sentinel = socket.subscription.sentinel, message[0].elementsEqual(sentinel.bytes) else { return }
        let ended = socket.subscription.waits.filter { $0.acknowledged() }
        socket.subscription.waits.removeAll { wait in ended.contains { $0 === wait } }
        for wait in ended {
            if let timer = wait.timer { cancel(timer) }
            wait.end(nil)
        }
        socket.subscription.handler?(self)
    }

    /// Topics first, then the sentinel: its echo says that a publisher has read all before it.
    private func carryOut(_ change: Subscription.Change, on socket: OpenSocket) {
        for topic in change.added { socket.setSubscribed(true, Array(topic.text.utf8)) }
        for topic in change.removed { socket.setSubscribed(false, Array(topic.text.utf8)) }
        socket.setSubscribed(true, change.newSentinel.bytes)
        if let old = change.oldSentinel { socket.setSubscribed(false, old.bytes) }
    }
}

extension OpenSocket {
    fileprivate func setSubscribed(_ isSubscribed: Bool, _ prefix: [UInt8]) {
        if pattern == .xsub {
            // An XSUB subscribes by sending a byte that says so, and the prefix.
            _ = Message([[isSubscribed ? 1 : 0] + prefix]).send(on: handle)
        } else {
            // Neither option fails on an open SUB.
            _ = zmq_setsockopt(handle, isSubscribed ? ZMQ_SUBSCRIBE : ZMQ_UNSUBSCRIBE, prefix, prefix.count)
        }
    }
}

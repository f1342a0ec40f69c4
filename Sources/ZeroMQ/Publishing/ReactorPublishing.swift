import CZeroMQ

/// Publishing under topics.
extension Reactor {
    /// Publishes a message to each subscriber of the topic that has room.
    ///
    /// Publishing never waits and never fails: if a subscriber has no room, the message is silently lost for that
    /// subscriber. A message that must arrive needs another way: send it to a ``Router`` and wait for the answer.
    ///
    /// - Parameters:
    ///   - message: The message, with at least one frame. Subscribers receive the topic as an additional first frame.
    ///   - topic: The topic; with ``TopicPrefix/everything``, only those receive it who subscribe to everything.
    ///   - socket: The socket; a closed socket publishes nothing.
    public func publish(_ message: Message, under topic: TopicPrefix, on socket: Socket<some PublishingSocket>) {
        guard let socket = sockets[socket.token] else { return }
        message.publish(on: socket.handle, under: topic)
    }

    /// Calls a handler when a subscription arrives or ends, and for each message from a subscriber.
    ///
    /// A second subscription to the same prefix is reported, too. A second call replaces the handler. The socket counts
    /// subscriptions with or without a handler.
    ///
    /// - Parameters:
    ///   - socket: The socket that publishes.
    ///   - handler: Called with the event on the reactor's thread; it must not block.
    public func receive(
        _ socket: Socket<XPub>,
        _ handler: @escaping (SubscriberEvent) -> Void
    ) {
        setIntake(.subscriptions(handler), of: socket)
    }

    /// The number of subscriptions that match a topic now.
    ///
    /// A subscriber counts once for each of its matching prefixes. Subscriptions that libzmq has not delivered yet do
    /// not count. The sockets of this module send each subscription once. If a peer without this module sends the same
    /// subscription twice, both count. libzmq may report only one end for them, and the number then stays too high.
    ///
    /// - Parameters:
    ///   - topic: The topic.
    ///   - socket: The socket; a closed socket has no subscriptions.
    /// - Returns: The number of matching subscriptions.
    public func subscriptionCount(for topic: TopicPrefix, on socket: Socket<XPub>) -> Int {
        sockets[socket.token]?.subscribers.count(for: topic) ?? 0
    }

    /// Waits until enough subscriptions match a topic.
    ///
    /// A publisher has no subscribers immediately after a bind or connect: a message published then is lost.
    ///
    /// - Parameters:
    ///   - topic: The topic.
    ///   - socket: The socket.
    ///   - count: The number of subscriptions to wait for.
    ///   - time: The longest time to wait.
    /// - Throws: ``ZeroMQError`` with code `deadline`, `cancelled` or `closed`.
    public func awaitSubscriptions(
        to topic: TopicPrefix,
        on socket: Socket<XPub>,
        atLeast count: Int = 1,
        within time: Duration
    ) async throws(ZeroMQError) {
        let late = {
            Errors.deadline("Too few subscriptions (\(count) wanted) matched the topic \"\(topic)\" within \(time)")
        }
        try await wait(on: socket, within: time, late: late) { open, wait in
            if open.subscribers.count(for: topic) >= count { return .over(nil) }
            open.subscriberWaits[wait] = (topic, count)
            return .waits
        }
    }

    /// Handles a subscription or a message that an XPUB has received.
    func takeSubscription(
        _ message: Message,
        of socket: OpenSocket,
        _ handler: ((SubscriberEvent) -> Void)?
    ) {
        switch socket.subscribers.take(message) {
        case .sentinel(let sentinel):
            var echo = Message()
            echo.append(sentinel)
            _ = echo.send(on: socket.handle)
        case .event(let event):
            for (wait, (topic, count)) in socket.subscriberWaits
            where socket.subscribers.count(for: topic) >= count {
                end(wait, nil)
            }
            handler?(event)
        case .none:
            break
        }
    }
}

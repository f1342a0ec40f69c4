import CZeroMQ

/// Publishing under topics.
extension Reactor {
    /// Publishes a message to each subscriber of the topic that has room.
    ///
    /// It never waits and never fails: a message for which a subscriber has no room is lost to that subscriber,
    /// silently. Send what must arrive to a ``Router``, and wait for its answer.
    ///
    /// - Parameters:
    ///   - message: The message, with at least one frame. Subscribers receive the topic as the frame before it.
    ///   - topic: The topic; not ``TopicPrefix/everything``.
    ///   - socket: The socket; a closed one publishes nothing.
    public func publish(_ message: Message, under topic: TopicPrefix, on socket: Socket<some PublishingSocket>) {
        guard topic != .everything else { fatalError("Nothing can be published under everything; name a topic.") }
        guard let socket = sockets[socket.token] else { return }
        message.publish(on: socket.handle, under: topic)
    }

    /// Calls a handler for each subscription that arrives, is cancelled, or ends with its subscriber.
    ///
    /// Each subscription counts, also a second one to the same prefix. They are read with or without a handler.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - handler: Called with the event; it must not block. A second call replaces the handler.
    public func receive(
        _ socket: Socket<XPub>,
        _ handler: @escaping @Sendable (isolated Reactor, SubscriberEvent) -> Void
    ) {
        setIntake(.subscriptions(handler), of: socket)
    }

    /// How many subscriptions match a topic now.
    ///
    /// A subscriber counts once for each of its matching prefixes. Subscriptions that libzmq has not delivered yet do
    /// not count. A peer that sends the same subscription twice, which this module's sockets do not, counts twice until
    /// nobody has that subscription, because libzmq reports its end only once.
    ///
    /// - Parameters:
    ///   - topic: The topic.
    ///   - socket: The socket; a closed one has none.
    /// - Returns: Their number.
    public func subscriptionCount(for topic: TopicPrefix, on socket: Socket<XPub>) -> Int {
        sockets[socket.token]?.subscribers.count(for: topic) ?? 0
    }

    /// Waits until enough subscriptions match a topic.
    ///
    /// A publisher that connects, or has just been bound, has no subscribers yet: what it publishes right away is lost.
    ///
    /// - Parameters:
    ///   - topic: The topic.
    ///   - socket: The socket.
    ///   - count: How many subscriptions are needed.
    ///   - time: How long to wait at most.
    /// - Throws: ``ZeroMQError`` with code `deadline`, `cancelled` or `closed`.
    public func awaitSubscriptions(
        to topic: TopicPrefix,
        on socket: Socket<XPub>,
        atLeast count: Int = 1,
        within time: Duration
    ) async throws(ZeroMQError) {
        let wait = PublisherWait(topic: topic, count: count)
        let error: ZeroMQError? = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard let open = sockets[socket.token] else {
                    return continuation.resume(returning: .closed("\(socket)"))
                }
                wait.onEnd = { continuation.resume(returning: $0) }
                if wait.isOver(open.subscribers) { return wait.end(nil) }
                open.publisherWaits.append(wait)
                wait.timer = schedule(at: .now + time) { reactor in
                    let late = "\(count) subscriptions to \(topic) did not come within \(time)"
                    reactor.giveUp(wait, on: socket, .deadline(late))
                }
            }
        } onCancel: {
            // This runs on the reactor's thread after the block above, so the wait has begun even if the cancellation
            // came early.
            submit { reactor in
                let sentence = "The task that waited for subscriptions to \(topic) was cancelled."
                reactor.giveUp(wait, on: socket, ZeroMQError(.cancelled, sentence, next: "Wait again."))
            }
        }
        if let error { throw error }
    }

    private func giveUp(_ wait: PublisherWait, on socket: Socket<XPub>, _ error: ZeroMQError) {
        sockets[socket.token]?.publisherWaits.removeAll { $0 === wait }
        if let timer = wait.timer { cancel(timer) }
        wait.end(error)
    }

    /// Handles a message that an XPUB has received.
    func takeSubscription(
        _ message: Message,
        of socket: OpenSocket,
        _ handler: (@Sendable (isolated Reactor, SubscriberEvent) -> Void)?
    ) {
        switch socket.subscribers.take(message) {
        case .sentinel(let sentinel):
            var echo = Message()
            echo.append(sentinel)
            _ = echo.send(on: socket.handle)
        case .event(let event):
            let ended = socket.publisherWaits.filter { $0.isOver(socket.subscribers) }
            socket.publisherWaits.removeAll { $0.isOver(socket.subscribers) }
            for wait in ended {
                if let timer = wait.timer { cancel(timer) }
                wait.end(nil)
            }
            handler?(self, event)
        case .none:
            break
        }
    }
}

/// A task that waits for subscribers.
///
/// Owned by the reactor thread.
final class PublisherWait: @unchecked Sendable {
    // Unchecked: only handlers of one reactor use it.
    private let topic: TopicPrefix
    private let count: Int
    /// Called with the outcome; nil before the wait begins and after it ends.
    var onEnd: ((ZeroMQError?) -> Void)?
    /// Ends the wait at its deadline.
    var timer: TimerID?

    init(topic: TopicPrefix, count: Int) {
        self.topic = topic
        self.count = count
    }

    func isOver(_ book: SubscriberBook) -> Bool { book.count(for: topic) >= count }

    /// Ends the wait; further calls do nothing.
    func end(_ error: ZeroMQError?) {
        let onEnd = onEnd
        self.onEnd = nil
        onEnd?(error)
    }
}

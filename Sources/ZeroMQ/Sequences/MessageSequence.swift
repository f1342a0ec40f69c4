import ForgeLocks

/// The messages of a socket, for tasks that take them at their own pace.
///
/// A bounded buffer holds the messages (``SocketOptions/prefetch``). If the tasks are slow, the buffer fills, then the
/// socket's queue, then the network buffers. Then the peers must wait; only publishers drop messages. If a waiting task is
/// cancelled, `next` returns nil and no message is lost: a later call gets the message. When the socket is closed, the
/// sequence ends after the buffered messages.
///
/// Any number of tasks may read the sequence at the same time: each message goes to one of them.
public struct MessageSequence: AsyncSequence, Sendable {
    /// The element of the sequence.
    public typealias Element = Message

    /// The sequence never throws.
    public typealias Failure = Never

    let inbox: Inbox

    /// Makes an iterator over the messages.
    ///
    /// - Returns: An iterator; no message is lost if the program releases the iterator before the sequence ends.
    public func makeAsyncIterator() -> Iterator {
        Iterator(inbox: inbox)
    }

    /// Iterates over a ``MessageSequence``.
    public struct Iterator: AsyncIteratorProtocol {
        let inbox: Inbox

        /// Takes the next message, and waits for it if necessary.
        ///
        /// - Returns: The message. Nil if the buffer is empty and the socket is closed, a handler has been set, or the task
        ///   is cancelled.
        public mutating func next() async -> Message? { await next(isolation: nil) }

        /// Takes the next message, and waits for it if necessary, without leaving the caller's actor.
        ///
        /// - Parameter actor: The caller's isolation.
        /// - Returns: The message. Nil if the buffer is empty and the socket is closed, a handler has been set, or the task
        ///   is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Message? {
            if case .message(let message) = await inbox.receive(isolation: actor) { message } else { nil }
        }
    }
}

extension Socket where Kind: ReceivingSocket {
    /// The messages of the socket, for tasks that take them at their own pace, with back-pressure.
    ///
    /// The reactor reads ahead from the first wait on. A handler of ``Reactor/receive(_:_:)-(Socket<Kind>,_)`` takes the
    /// place of the tasks that read the sequence, and gets what was read ahead.
    public var messages: MessageSequence { MessageSequence(inbox: inbox) }

    /// Takes the next message, and waits for it if necessary.
    ///
    /// The calls and the tasks that read ``messages`` share the messages.
    ///
    /// - Parameters:
    ///   - time: The longest time to wait.
    ///   - isolation: The caller's isolation.
    /// - Returns: The message.
    /// - Throws: ``ZeroMQError``: `deadline`; `cancelled`; or `closed`, also if a handler was set meanwhile. In each case
    ///   no message is lost.
    public func receive(
        within time: Duration,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(ZeroMQError) -> Message {
        let (deadline, inbox, reactor) = (ContinuousClock.now + time, inbox, reactor)
        let timer = Guarded<TimerID?>(nil)
        var isTimed = false
        let received = await inbox.receive(isolation: isolation) { number in
            isTimed = true
            reactor.submit { reactor in
                let id = reactor.schedule(at: deadline) { inbox.end(number, .late) }
                timer.withLock { $0 = id }
            }
        }
        if isTimed { reactor.submit { reactor in timer.withLock { $0 }.map { reactor.cancel($0) } } }
        switch received {
        case .message(let message): return message
        case .finished: throw Errors.closed("\(self)")
        case .cancelled: throw Errors.waitCancelled
        case .late: throw Errors.deadline("No message arrived on \(self) within \(time)")
        }
    }
}

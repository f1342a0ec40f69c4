/// The messages of a socket, for one task that takes them at its own pace.
///
/// Messages are taken from the socket only while there is room in a bounded buffer. When the task is slow, the buffer
/// fills, then the socket's queue, then the network, and then the peers are made to wait; only publishers drop. When a
/// waiting task is cancelled, `next` returns nil and no message is lost: the next one to ask gets it. The sequence ends
/// when the socket is closed, after the messages that were taken before.
///
/// Several iterators share the messages, but only one task may wait at a time.
public struct MessageSequence: AsyncSequence, Sendable {
    /// One message after the other.
    public typealias Element = Message

    /// The sequence ends, it does not fail.
    public typealias Failure = Never

    // Concrete on purpose, as is its sibling: a generic sequence would run unspecialised in other modules, at half the
    // speed.
    let inbox: Inbox<Message>

    /// Takes the messages, one after the other.
    ///
    /// - Returns: An iterator; it may be thrown away at any time without losing a message.
    public func makeAsyncIterator() -> Iterator {
        Iterator(inbox: inbox)
    }

    /// Takes the messages of a ``MessageSequence``.
    public struct Iterator: AsyncIteratorProtocol {
        let inbox: Inbox<Message>

        /// The next message, waiting for it if need be.
        ///
        /// - Returns: The message, or nil when the socket is closed or the task is cancelled and nothing is buffered.
        public mutating func next() async -> Message? {
            await inbox.next(isolation: nil)
        }

        /// The next message, waiting for it if need be, without leaving the caller's actor.
        ///
        /// - Parameter actor: The caller's isolation.
        /// - Returns: The message, or nil when the socket is closed or the task is cancelled and nothing is buffered.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Message? {
            await inbox.next(isolation: actor)
        }
    }
}

/// The messages of a ``Router`` with the peers they came from, for one task that takes them at its own pace.
///
/// Everything that ``MessageSequence`` promises holds here, too.
public struct RoutedMessageSequence: AsyncSequence, Sendable {
    /// One message after the other, each with its peer.
    public typealias Element = RoutedMessage

    /// The sequence ends, it does not fail.
    public typealias Failure = Never

    let inbox: Inbox<RoutedMessage>

    /// Takes the messages, one after the other.
    ///
    /// - Returns: An iterator; it may be thrown away at any time without losing a message.
    public func makeAsyncIterator() -> Iterator {
        Iterator(inbox: inbox)
    }

    /// Takes the messages of a ``RoutedMessageSequence``.
    public struct Iterator: AsyncIteratorProtocol {
        let inbox: Inbox<RoutedMessage>

        /// The next message, waiting for it if need be.
        ///
        /// - Returns: The message, or nil when the socket is closed or the task is cancelled and nothing is buffered.
        public mutating func next() async -> RoutedMessage? {
            await inbox.next(isolation: nil)
        }

        /// The next message, waiting for it if need be, without leaving the caller's actor.
        ///
        /// - Parameter actor: The caller's isolation.
        /// - Returns: The message, or nil when the socket is closed or the task is cancelled and nothing is buffered.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> RoutedMessage? {
            await inbox.next(isolation: actor)
        }
    }
}

/// The messages of a socket, for one task that takes them at its own pace.
///
/// A bounded buffer holds the messages. If the task is slow, the buffer fills, then the socket's queue, then the
/// network buffers. Then the peers must wait; only publishers drop messages. If a waiting task is cancelled, `next`
/// returns nil and no message is lost: a later call gets the message. When the socket is closed, the sequence ends
/// after the buffered messages.
///
/// Several iterators share the messages, but only one task may wait at a time; a second waiting task ends the process.
public struct MessageSequence: AsyncSequence, Sendable {
    /// The element of the sequence.
    public typealias Element = Message

    /// The sequence never throws.
    public typealias Failure = Never

    // Both sequences are concrete types on purpose: a generic type would run unspecialised in other modules, at half
    // the speed.
    let inbox: Inbox<Message>

    /// Makes an iterator over the messages.
    ///
    /// - Returns: An iterator; no message is lost if the program releases the iterator before the sequence ends.
    public func makeAsyncIterator() -> Iterator {
        Iterator(inbox: inbox)
    }

    /// Iterates over a ``MessageSequence``.
    public struct Iterator: AsyncIteratorProtocol {
        let inbox: Inbox<Message>

        /// Takes the next message, and waits for it if necessary.
        ///
        /// - Returns: The message. Nil if the buffer is empty and the socket is closed or the task is cancelled.
        public mutating func next() async -> Message? {
            await inbox.next(isolation: nil)
        }

        /// Takes the next message, and waits for it if necessary, without leaving the caller's actor.
        ///
        /// - Parameter actor: The caller's isolation.
        /// - Returns: The message. Nil if the buffer is empty and the socket is closed or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Message? {
            await inbox.next(isolation: actor)
        }
    }
}

/// The messages of a ``Router`` with their peers, for one task that takes them at its own pace.
///
/// Buffering, cancellation and the end of the sequence work as in ``MessageSequence``.
public struct RoutedMessageSequence: AsyncSequence, Sendable {
    /// The element of the sequence.
    public typealias Element = RoutedMessage

    /// The sequence never throws.
    public typealias Failure = Never

    let inbox: Inbox<RoutedMessage>

    /// Makes an iterator over the messages.
    ///
    /// - Returns: An iterator; no message is lost if the program releases the iterator before the sequence ends.
    public func makeAsyncIterator() -> Iterator {
        Iterator(inbox: inbox)
    }

    /// Iterates over a ``RoutedMessageSequence``.
    public struct Iterator: AsyncIteratorProtocol {
        let inbox: Inbox<RoutedMessage>

        /// Takes the next message, and waits for it if necessary.
        ///
        /// - Returns: The message. Nil if the buffer is empty and the socket is closed or the task is cancelled.
        public mutating func next() async -> RoutedMessage? {
            await inbox.next(isolation: nil)
        }

        /// Takes the next message, and waits for it if necessary, without leaving the caller's actor.
        ///
        /// - Parameter actor: The caller's isolation.
        /// - Returns: The message. Nil if the buffer is empty and the socket is closed or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> RoutedMessage? {
            await inbox.next(isolation: actor)
        }
    }
}

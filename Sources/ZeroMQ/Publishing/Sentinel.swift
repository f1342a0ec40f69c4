/// A topic that only one subscriber has; a publisher that echoes the sentinel knows all topics of this subscriber.
///
/// A sentinel begins with 0xFF; no topic does. libzmq sends all subscriptions to a new connection in the order of their
/// bytes, so it sends the sentinel last. libzmq's welcome message (`ZMQ_XPUB_WELCOME_MSG`) proves nothing, because a
/// publisher sends it before it reads the subscriptions. In a test, a message published right after the welcome message
/// was lost in 208 of 300 cases.
struct Sentinel: Hashable, Sendable {
    /// What all sentinels begin with, so that no message of a program is taken for the echo of one.
    private static let mark: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF] + Array("ZMQ sentinel".utf8)

    /// The size of a sentinel in bytes: the mark, and as many random bytes.
    static let size = 2 * mark.count

    let bytes: [UInt8]

    /// Makes a new sentinel from random bytes.
    init() { bytes = Self.mark + Self.mark.map { _ in UInt8.random(in: .min ... .max) } }

    /// Whether a topic is the sentinel of any subscriber.
    static func isSentinel(_ topic: ArraySlice<UInt8>) -> Bool { topic.count == size && topic.starts(with: mark) }

    /// Whether a message is the echo of any subscriber's sentinel; a subscriber to all topics receives all echoes.
    static func isSentinel(_ message: Message) -> Bool {
        message.count == 1 && message.sizeInBytes == size && isSentinel(message[0])
    }
}

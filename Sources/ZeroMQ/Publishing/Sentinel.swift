/// A topic that only one subscriber has; a publisher that echoes the sentinel knows all topics of this subscriber.
///
/// A sentinel begins with 0xFF; no other topic does. libzmq sends all subscriptions to a new connection in the order of
/// their bytes, so it sends the sentinel last. libzmq's welcome message (`ZMQ_XPUB_WELCOME_MSG`) proves nothing,
/// because a publisher sends it before it reads the subscriptions. In a test, a message published right after the
/// welcome message was lost in 208 of 300 cases.
struct Sentinel: Hashable, Sendable {
    static let size = 17

    let bytes: [UInt8]

    /// Makes a new sentinel from random bytes.
    init() {
        bytes = [0xFF] + (0..<Self.size - 1).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// Whether a topic is the sentinel of any subscriber.
    static func isSentinel(_ topic: ArraySlice<UInt8>) -> Bool { topic.count == size && topic.first == 0xFF }

    /// Whether a message is the echo of any subscriber's sentinel; a subscriber to all topics receives all echoes.
    static func isSentinel(_ message: Message) -> Bool {
        message.count == 1 && message.sizeInBytes == size && message.storage[0] == 0xFF
    }
}

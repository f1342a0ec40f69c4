/// A topic that only one subscriber has: an echo from a publisher proves that it knows all this subscriber's topics.
///
/// A sentinel begins with 0xFF, as no other topic does. libzmq sends all subscriptions to a new connection in the order of
/// their bytes, so the sentinel goes last. A welcome message would come first: in a test, messages published right after
/// it were lost 208 times out of 300.
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

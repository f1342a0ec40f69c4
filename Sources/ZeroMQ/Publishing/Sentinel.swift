/// A topic that only one subscriber has: when the publisher sends it back, it knows all that subscriber's
/// subscriptions.
///
/// It begins with 0xFF, as no topic does: libzmq sends a new connection all subscriptions in the order of their bytes,
/// so the sentinel goes last. A welcome message would come first, and messages published right after it were lost 208
/// times of 300.
struct Sentinel: Hashable, Sendable {
    static let size = 17

    let bytes: [UInt8]

    /// Makes a new sentinel from random bytes.
    init() {
        bytes = [0xFF] + (0..<Self.size - 1).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// Whether a topic is a sentinel, of any subscriber.
    static func isSentinel(_ topic: ArraySlice<UInt8>) -> Bool { topic.count == size && topic.first == 0xFF }

    /// Whether a message is the echo of a sentinel, of any subscriber: a subscriber to everything gets all of them.
    static func isSentinel(_ message: Message) -> Bool {
        message.count == 1 && message.sizeInBytes == size && message.storage[0] == 0xFF
    }
}

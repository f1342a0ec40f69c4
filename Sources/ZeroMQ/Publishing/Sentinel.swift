/// A topic that only one subscriber has: when the publisher sends it back, all its other subscriptions are known.
///
/// It begins with 0xFF, which no topic does, because libzmq sends a new connection the whole set in the order of its
/// bytes: the sentinel goes last. A welcome message would come first, and what is published right after it was lost 208
/// times of 300.
struct Sentinel: Hashable, Sendable {
    static let size = 17

    let bytes: [UInt8]

    /// A new one, which nobody else has.
    init() {
        bytes = [0xFF] + (0..<Self.size - 1).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// Whether a topic is a sentinel, whosoever.
    static func isSentinel(_ topic: ArraySlice<UInt8>) -> Bool { topic.count == size && topic.first == 0xFF }

    /// Whether a message is the echo of a sentinel, whosoever: those who subscribe to everything get each.
    static func isSentinel(_ message: Message) -> Bool {
        message.count == 1 && message.sizeInBytes == size && message.storage[0] == 0xFF
    }
}

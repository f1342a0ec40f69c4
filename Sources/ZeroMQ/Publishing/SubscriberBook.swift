/// An event at an ``XPub``.
public enum SubscriberEvent: Hashable, Sendable {
    /// A peer has subscribed to a prefix; an empty prefix matches everything.
    case subscribed(prefix: [UInt8])

    /// A peer has cancelled its subscription to a prefix, or has disconnected.
    case unsubscribed(prefix: [UInt8])

    /// A subscriber has sent a message to this publisher, as an ``XSub`` can.
    case message(Message)
}

extension Message: Hashable {
    /// Hashes the frames.
    ///
    /// - Parameter hasher: The hasher to feed.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(storage)
        hasher.combine(count)
    }
}

/// Counts the subscriptions to each prefix at an XPUB.
///
/// The type does no I/O: the reactor passes each received message to ``take(_:)``.
struct SubscriberBook {
    /// The meaning of a received message.
    enum Entry {
        case event(SubscriberEvent)
        /// A subscriber has sent a sentinel, which the publisher must send back.
        case sentinel(ArraySlice<UInt8>)
        /// A subscriber has cancelled its sentinel.
        case none
    }

    private var prefixes: [[UInt8]: Int] = [:]

    /// Reads a received message and counts the subscription that it begins or ends.
    ///
    /// A message of one frame that begins with the byte 1 subscribes to the prefix that follows; with the byte 0, it
    /// unsubscribes. Any other message is a subscriber's own message.
    mutating func take(_ message: Message) -> Entry {
        let frame = message[0]
        guard message.count == 1, let first = frame.first, first < 2 else { return .event(.message(message)) }
        let topic = frame.dropFirst()
        if Sentinel.isSentinel(topic) { return first == 1 ? .sentinel(topic) : .none }
        let prefix = Array(topic)
        guard first == 1 else {
            if let count = prefixes[prefix] { prefixes[prefix] = count > 1 ? count - 1 : nil }
            return .event(.unsubscribed(prefix: prefix))
        }
        prefixes[prefix, default: 0] += 1
        return .event(.subscribed(prefix: prefix))
    }

    /// The number of subscriptions that match a topic.
    func count(for topic: TopicPrefix) -> Int {
        let bytes = Array(topic.text.utf8)
        return (0...bytes.count).reduce(0) { $0 + (prefixes[Array(bytes[..<$1])] ?? 0) }
    }
}

/// What happened at an ``XPub``.
public enum SubscriberEvent: Hashable, Sendable {
    /// Somebody has subscribed to a prefix; empty stands for everything.
    case subscribed(prefix: [UInt8])

    /// Somebody has taken a subscription back, or is gone.
    case unsubscribed(prefix: [UInt8])

    /// A subscriber has sent a message upstream, as ``XSub`` may.
    case message(Message)
}

extension Message: Hashable {
    /// Hashes the frames.
    ///
    /// - Parameter hasher: What takes them in.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(storage)
        hasher.combine(count)
    }
}

/// Which prefixes have been subscribed to at an XPUB, and how often.
///
/// Pure.
struct SubscriberBook {
    /// What came in, read.
    enum Entry {
        case event(SubscriberEvent)
        /// A subscriber wants to hear that it is known.
        case sentinel(ArraySlice<UInt8>)
        /// A sentinel was taken back.
        case none
    }

    private var prefixes: [[UInt8]: Int] = [:]

    /// Takes in what an XPUB has received: a byte that says whether, and a prefix; or a message from upstream.
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

    /// How many subscriptions a topic would reach.
    func count(for topic: TopicPrefix) -> Int {
        let bytes = Array(topic.text.utf8)
        return (0...bytes.count).reduce(0) { $0 + (prefixes[Array(bytes[..<$1])] ?? 0) }
    }
}

/// An event at an ``XPub``.
public enum SubscriberEvent: Hashable, Sendable {
    /// A peer has subscribed to a prefix; an empty prefix matches everything.
    case subscribed(prefix: [UInt8])

    /// A peer has cancelled its subscription to a prefix, or has disconnected.
    case unsubscribed(prefix: [UInt8])

    /// A subscriber has sent a message to this publisher, as an ``XSub`` can.
    case message(Message)

    /// A peer has subscribed to more different prefixes than ``SocketOptions/subscriptionsPerKey``; this is its key.
    ///
    /// Also reported for each further new prefix. libzmq has stored the subscription, and cannot disconnect one peer:
    /// refuse the key in the authenticator's rule, and call ``Reactor/rebind(_:)``, which ends all connections.
    case crowded(by: PublicKey)
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

    /// Slices, so that the beginnings of a topic are looked up without a copy.
    private var prefixes: [ArraySlice<UInt8>: Int] = [:]
    /// The prefixes and sentinels of each key that somebody still subscribes to; empty without ``mostOfKey``.
    private var ofKeys: [PublicKey: Set<[UInt8]>] = [:]
    /// The largest number of prefixes and sentinels of one key; nil for no limit.
    private let mostOfKey: Int?

    init(mostOfKey: Int? = nil) { self.mostOfKey = mostOfKey }

    /// Reads a received message and counts the subscription that it begins or ends.
    ///
    /// A message of one frame that begins with the byte 1 subscribes to the prefix that follows; with the byte 0, it
    /// unsubscribes. Any other message is a subscriber's own message.
    mutating func take(_ message: Message) -> Entry {
        let frame = message[0]
        guard message.count == 1, let first = frame.first, first < 2 else { return .event(.message(message)) }
        let topic = frame.dropFirst()
        let isSentinel = Sentinel.isSentinel(topic)
        let prefix = Array(topic)
        guard first == 1 else {
            if isSentinel {
                forget(prefix)
                return .none
            }
            if let count = prefixes[prefix[...]] { prefixes[prefix[...]] = count > 1 ? count - 1 : nil }
            if prefixes[prefix[...]] == nil { forget(prefix) }
            return .event(.unsubscribed(prefix: prefix))
        }
        if !isSentinel { prefixes[prefix[...], default: 0] += 1 }
        if let key = message.senderKey, isCrowded(key, adding: prefix) { return .event(.crowded(by: key)) }
        return isSentinel ? .sentinel(topic) : .event(.subscribed(prefix: prefix))
    }

    /// The number of subscriptions that match a topic.
    func count(for topic: TopicPrefix) -> Int {
        guard !prefixes.isEmpty else { return 0 }
        return (0...topic.bytes.count).reduce(0) { $0 + (prefixes[topic.bytes[..<$1]] ?? 0) }
    }

    /// Whether a key that subscribes to a prefix now has too many; the book stores no more than the limit.
    private mutating func isCrowded(_ key: PublicKey, adding prefix: [UInt8]) -> Bool {
        guard let mostOfKey else { return false }
        if ofKeys[key]?.contains(prefix) == true { return false }
        guard ofKeys[key]?.count ?? 0 < mostOfKey else { return true }
        ofKeys[key, default: []].insert(prefix)
        return false
    }

    /// Forgets a prefix that nobody subscribes to any more; libzmq does not say whose it was.
    private mutating func forget(_ prefix: [UInt8]) {
        for key in ofKeys.keys where ofKeys[key]?.remove(prefix) != nil {
            if ofKeys[key]?.isEmpty == true { ofKeys[key] = nil }
        }
    }
}

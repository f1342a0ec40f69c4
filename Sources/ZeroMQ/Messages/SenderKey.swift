import CZeroMQ

/// The key of a message's sender, in an object that messages with the same key can share.
final class SenderKey: Sendable {
    let key: PublicKey

    init(_ key: PublicKey) { self.key = key }
}

/// Finds the key of a message's sender; the authenticator has attached the key to the connection.
///
/// Owned by the reactor thread.
final class SenderKeys {
    /// The maximum number of remembered keys; at this number, all of them are removed before the next one is stored.
    private static let most = 4096

    private var keys: [PublicKey: SenderKey] = [:]
    private var latest: SenderKey?
    private var latestText: [UInt8] = []

    /// Reads the sender's key from a frame; nil if the frame has no key.
    ///
    /// Pass a frame of the message itself: the frame with the routing id does not always carry the key.
    func key(of frame: UnsafeMutablePointer<zmq_msg_t>) -> SenderKey? {
        guard let text = zmq_msg_gets(frame, "User-Id") else { return nil }
        let bytes = UnsafeRawBufferPointer(start: text, count: czmq_text_size(text))
        if let latest, bytes.elementsEqual(latestText) { return latest }
        guard let decoded = Z85.decode(bytes), let key = try? PublicKey(bytes: decoded) else { return nil }
        if keys.count >= Self.most { keys.removeAll() }
        let sender = keys[key] ?? SenderKey(key)
        keys[key] = sender
        (latest, latestText) = (sender, Array(bytes))
        return sender
    }
}

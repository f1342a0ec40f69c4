import CZeroMQ

/// The key of a message's sender, made once for all messages with that key.
final class SenderKey: Sendable {
    let key: PublicKey

    init(_ key: PublicKey) { self.key = key }
}

/// Finds the key of a message's sender, which the authenticator has written on the connection.
///
/// Owned by the reactor thread.
final class SenderKeys {
    /// Keys are few and messages many; above this number all known keys are forgotten and made again.
    private static let most = 4096

    private var keys: [PublicKey: SenderKey] = [:]
    private var latest: SenderKey?
    private var latestText: [UInt8] = []

    /// The key of a message, read from a frame that is not the routing id, because that frame does not always carry it.
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

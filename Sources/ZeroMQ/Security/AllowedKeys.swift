import ForgeLocks

/// The keys that may connect; any thread may change them at any time.
///
/// An ``Authenticator`` with these keys decides about new connections. A connection stays up when its key is removed,
/// because libzmq asks only once. Call ``contains(_:)`` for each message, so that a removal takes effect immediately:
///
/// ```swift
/// import ZeroMQ
///
/// func serve(_ router: Socket<Router>, on reactor: isolated Reactor, allowed: AllowedKeys) {
///     reactor.receive(router) { reactor, peer, message in
///         guard let key = message.senderKey, allowed.contains(key) else { return }
///         reactor.send(message, on: router, to: peer)
///     }
/// }
/// ```
public final class AllowedKeys: Sendable {
    private let keys: Guarded<Set<PublicKey>>

    /// Begins with some keys.
    ///
    /// - Parameter keys: The keys that may connect; none by default.
    public init(_ keys: Set<PublicKey> = []) { self.keys = Guarded(keys) }

    /// Whether a key may connect.
    ///
    /// - Parameter key: The key.
    /// - Returns: Whether it is among the allowed keys.
    public func contains(_ key: PublicKey) -> Bool { keys.withLock { $0.contains(key) } }

    /// Replaces all keys.
    ///
    /// - Parameter newKeys: The keys that may connect from now on.
    public func replace(with newKeys: Set<PublicKey>) { keys.withLock { $0 = newKeys } }

    /// Allows one more key.
    ///
    /// - Parameter key: The key.
    public func insert(_ key: PublicKey) { keys.withLock { _ = $0.insert(key) } }

    /// Removes a key.
    ///
    /// - Parameter key: The key.
    public func remove(_ key: PublicKey) { keys.withLock { _ = $0.remove(key) } }
}

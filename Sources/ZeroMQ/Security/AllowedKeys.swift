import ForgeLocks

/// The set of keys that may connect; any thread may change the set at any time.
///
/// An ``Authenticator`` that uses this set decides about new connections. If a key is removed, its connections stay up,
/// because libzmq asks the authenticator only when a peer connects. Call ``contains(_:)`` for each message, so that a
/// removal takes effect immediately:
///
/// ```swift
/// import ZeroMQ
///
/// func serve(_ router: Socket<Router>, on reactor: isolated Reactor, allowed: AllowedKeys) {
///     reactor.receive(router) { message in
///         guard let key = message.senderKey, allowed.contains(key) else { return }
///         reactor.reply(message, to: message, on: router)
///     }
/// }
/// ```
public final class AllowedKeys: Sendable {
    private let keys: Guarded<Set<PublicKey>>

    /// Makes a set of allowed keys.
    ///
    /// - Parameter keys: The keys that may connect; none by default.
    public init(_ keys: Set<PublicKey> = []) { self.keys = Guarded(keys) }

    /// Whether a key may connect.
    ///
    /// - Parameter key: The key.
    /// - Returns: Whether the key is in the set.
    public func contains(_ key: PublicKey) -> Bool { keys.withLock { $0.contains(key) } }

    /// Replaces all allowed keys.
    ///
    /// - Parameter newKeys: The keys that may connect from now on.
    public func replace(with newKeys: Set<PublicKey>) { keys.withLock { $0 = newKeys } }

    /// Adds a key to the allowed keys.
    ///
    /// - Parameter key: The key.
    public func insert(_ key: PublicKey) { keys.withLock { _ = $0.insert(key) } }

    /// Removes a key from the allowed keys; existing connections stay up.
    ///
    /// - Parameter key: The key.
    public func remove(_ key: PublicKey) { keys.withLock { _ = $0.remove(key) } }
}

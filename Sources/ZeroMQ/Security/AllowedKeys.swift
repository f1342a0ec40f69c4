import ForgeLocks

/// The keys that may connect, to be changed at any time from any thread.
///
/// Given to an ``Authenticator`` it decides about new connections. A connection that is up stays up when its key is
/// removed, because libzmq asks once; so ask ``contains(_:)`` again for each message, and a removed key ends at once:
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
    /// - Returns: Whether it is among those that may.
    public func contains(_ key: PublicKey) -> Bool { keys.withLock { $0.contains(key) } }

    /// Puts other keys in the place of all.
    ///
    /// - Parameter newKeys: The keys that may connect from now on.
    public func replace(with newKeys: Set<PublicKey>) { keys.withLock { $0 = newKeys } }

    /// Lets one more key connect.
    ///
    /// - Parameter key: The key.
    public func insert(_ key: PublicKey) { keys.withLock { _ = $0.insert(key) } }

    /// Lets a key connect no more.
    ///
    /// - Parameter key: The key.
    public func remove(_ key: PublicKey) { keys.withLock { _ = $0.remove(key) } }
}

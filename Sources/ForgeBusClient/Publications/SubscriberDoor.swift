import ForgeLocks
import Logging
import ZeroMQ

/// Decides which subscribers may connect to a publisher with keys.
///
/// Guarded by a lock, because libzmq asks without the isolation of the reactor.
final class SubscriberDoor: Sendable {
    private struct State {
        /// Keys with too many subscriptions; they stay out until the publisher is closed.
        var barred: Set<PublicKey> = []
        /// The refused keys that were logged; bounded.
        var told: Set<PublicKey> = []
        var latest: PublicKey?
        var isOpen = false
    }

    private static let mostTold = 1_000

    let keys: KeyPair
    private let allowed: AllowedKeys
    private let logger: Logger
    private let state = Guarded(State())

    init(_ keys: KeyPair, letting allowed: AllowedKeys, _ logger: Logger) {
        (self.keys, self.allowed, self.logger) = (keys, allowed, logger)
    }

    /// Reports refused keys from now on, because the publisher's own test with an unknown key is over.
    func open() { state.withLock { $0.isOpen = true } }

    /// The key that was refused last; nil if none was.
    var latestRefused: PublicKey? { state.withLock { $0.latest } }

    /// Whether a subscriber with this key may connect; logs each refused key once.
    func admits(_ key: PublicKey) -> Bool {
        let isAllowed = allowed.contains(key)
        let (isAdmitted, isNews) = state.withLock { state in
            if isAllowed, !state.barred.contains(key) { return (true, false) }
            guard state.isOpen else { return (false, false) }
            state.latest = key
            return (false, state.told.count < Self.mostTold && state.told.insert(key).inserted)
        }
        if isNews {
            logger.warning(
                "a subscriber was refused, because the publisher does not let its key in",
                metadata: ["subscriber_key": "\(key)"]
            )
        }
        return isAdmitted
    }

    /// Refuses a key from now on.
    ///
    /// - Returns: False if the key was barred before.
    func bar(_ key: PublicKey) -> Bool { state.withLock { $0.barred.insert(key).inserted } }
}

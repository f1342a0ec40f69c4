import Synchronization

/// A context in the plain design, for comparison: a dictionary behind a lock, whose values are read by a cast.
///
/// It is in this module so that its callers call a generic function of another module, as users of a library do.
public final class PlainContext: Sendable {
    private let values = Mutex<[String: any Sendable]>([:])

    /// Makes an empty context.
    public init() {}

    /// Stores a value under `key`, replacing an earlier one.
    @inline(never) public func set<T: Sendable>(_ key: String, _ value: T) {
        values.withLock { $0[key] = value }
    }

    /// The value under `key`; nil if there is none or the value has another type.
    @inline(never) public func get<T: Sendable>(_ key: String) -> T? {
        values.withLock { $0[key] as? T }
    }
}

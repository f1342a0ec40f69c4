import Synchronization

/// A simple context without optimisations, for comparison: a dictionary behind a lock.
///
/// Each read casts the value to the type that the caller requests.
///
/// The type is in this module so that its callers call a generic function of another module, as users of a library do.
public final class PlainContext: Sendable {
    private let values = Mutex<[String: any Sendable]>([:])

    /// Makes an empty context.
    public init() {}

    /// Stores a value under `key`, in place of any earlier value.
    @inline(never) public func set<T: Sendable>(_ key: String, _ value: T) {
        values.withLock { $0[key] = value }
    }

    /// The value under `key`; nil if there is no value or the value has another type.
    @inline(never) public func get<T: Sendable>(_ key: String) -> T? {
        values.withLock { $0[key] as? T }
    }
}

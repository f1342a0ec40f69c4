import Synchronization

/// The plain design of a context, to measure against: a dictionary behind a lock, whose values are read by a cast.
///
/// It stands here so that whoever reads from it calls another module's generic function, as users of a library do.
public final class PlainContext: Sendable {
    private let values = Mutex<[String: any Sendable]>([:])

    /// An empty context.
    public init() {}

    /// Stores a value.
    @inline(never) public func set<T: Sendable>(_ key: String, _ value: T) {
        values.withLock { $0[key] = value }
    }

    /// The value under a key; nil when there is none or it is of another type.
    @inline(never) public func get<T: Sendable>(_ key: String) -> T? {
        values.withLock { $0[key] as? T }
    }
}

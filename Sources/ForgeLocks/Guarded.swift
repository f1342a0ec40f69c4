public import Synchronization

/// A value guarded by a lock.
///
/// The lock is a `Mutex` that ThreadSanitizer understands. On Linux a contended `Mutex` takes its lock inside the
/// Synchronization library, which is not instrumented, so the sanitizer reports races that do not exist. An additional
/// atomic flag shows the sanitizer the order of the lock's holders: each holder reads the flag that the previous holder
/// wrote. This costs one load and one store.
///
/// The type is `public`, though its module is not a product, because the optimizer specializes calls into another
/// module only if they are inlinable and public. Otherwise each use of the lock would look up its generic types at run
/// time.
public struct Guarded<Value>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let handOver: Atomic<Bool>

    /// Makes a lock that guards `value`.
    @inlinable
    public init(_ value: consuming sending Value) {
        mutex = Mutex(value)
        handOver = Atomic(false)
    }

    /// Locks, calls `body` with the value, and unlocks; meanwhile, other threads that call this method wait.
    ///
    /// `body` must not block, and must not call code that comes from users of the library, such as a closure or a
    /// `deinit`.
    @inlinable
    public borrowing func withLock<Result: ~Copyable, E: Error>(
        _ body: (inout sending Value) throws(E) -> sending Result
    ) throws(E) -> sending Result {
        try mutex.withLock { value throws(E) in
            _ = handOver.load(ordering: .acquiring)
            defer { handOver.store(true, ordering: .releasing) }
            return try body(&value)
        }
    }
}

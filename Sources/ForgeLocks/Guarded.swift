public import Synchronization

/// A value guarded by a lock.
///
/// A `Mutex` whose hand-over ThreadSanitizer can follow. On Linux a contended `Mutex` takes its lock inside the
/// Synchronization library, which is not instrumented, so the sanitizer reports false races. The flag repeats the
/// hand-over in instrumented code: the next holder reads what the previous one has written. It costs one load and one
/// store.
///
/// `public`, in a module that is not a product: the optimizer only sees through calls of another module if they are
/// inlinable and public. Otherwise the lock would look its types up at run time, each time it is taken.
public struct Guarded<Value>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let handOver: Atomic<Bool>

    /// Puts a value behind a lock.
    @inlinable
    public init(_ value: consuming sending Value) {
        mutex = Mutex(value)
        handOver = Atomic(false)
    }

    /// Calls `body` while no other thread can see the value.
    ///
    /// `body` must not call closures of its callers, and must not block.
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

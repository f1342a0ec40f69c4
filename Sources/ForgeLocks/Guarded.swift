public import Synchronization

/// A value behind a lock.
///
/// A `Mutex` whose hand-over ThreadSanitizer can follow. On Linux a contended `Mutex` takes its lock inside the
/// Synchronization library, which is not instrumented, so the sanitizer reports races that are none. The flag says the
/// same in instrumented code: what one holder has written, the next has read. It costs one load and one store.
///
/// `public`, in a module that is no product: the optimizer looks through calls of another module only where they are
/// inlinable and public; a lock that it does not look through looks its types up at run time, each time it is taken.
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
    /// No code of a caller's callers belongs in there, and nothing that blocks.
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

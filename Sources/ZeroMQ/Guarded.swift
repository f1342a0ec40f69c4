package import Synchronization

/// A value behind a lock whose order ThreadSanitizer can see.
///
/// The slow path of `Mutex` is inside a library that is not instrumented, so a contended lock looks to the sanitizer as
/// if nobody had waited, and it reports races that are none. The flag is read after locking and written before
/// unlocking; it says the same thing in code that is instrumented, and costs two plain moves.
package struct Guarded<State: Sendable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<State>
    @usableFromInline let handedOver = Atomic<Bool>(false)

    /// Puts a value behind a lock.
    package init(_ state: State) { mutex = Mutex(state) }

    /// Lends the value to one caller at a time.
    ///
    /// The caller must not block.
    @inlinable
    package borrowing func withLock<Value: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try mutex.withLock { state throws(Failure) in
            _ = handedOver.load(ordering: .acquiring)
            defer { handedOver.store(true, ordering: .releasing) }
            return try body(&state)
        }
    }
}

/// The right of this process to act for a store that another process can take over.
///
/// The length of the lease counts from a moment before this process sent the latest renewal, on a clock that continues
/// while the machine sleeps. Another process takes the store over only after it has seen no renewal for the whole length
/// of the lease.
public protocol StoreLease: Sendable {
    /// The name of the worker whose records the store keeps.
    var name: String { get }

    /// The number of the take-over with which this lease began; each later take-over of the name has a higher number.
    var epoch: Int64 { get }

    /// When this process must stop acting, if it does not renew the lease before.
    var end: ContinuousClock.Instant { get }

    /// Why this process may no longer act; nil while it may, and never nil again after the first error.
    var error: StoreError? { get }

    /// Lets the lease run out after the store is closed; without this call, closing the store ends the lease at once.
    ///
    /// Call this method if work of this process may still have effects, so that no other process takes the store over
    /// before the lease has run out.
    func keepUntilItEnds()

    /// Calls `completion` after a renewal that begins after this call.
    ///
    /// The clock of a suspended virtual machine may stop, too. When the machine runs again, the process may take an ended
    /// lease for a valid one. A commit would then fail, but an answer that needs no commit would be sent. So such an
    /// answer must wait for a renewal.
    ///
    /// - Parameter completion: Called once, on any thread, with nil if the process held the lease at the renewal, or else
    ///   with ``error``.
    func confirm(_ completion: @escaping @Sendable (StoreError?) -> Void)
}

extension BusStore {
    /// False: no other process can hold such a store by a lease.
    public var isShared: Bool { false }

    /// Nil: no other process can take such a store over.
    public var lease: (any StoreLease)? { nil }
}

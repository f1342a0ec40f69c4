/// The right of this process to act for a store that another process can take over.
///
/// The process counts the lease from before it sent each renewal, on a clock that goes on while the machine sleeps. Another
/// process takes the store over only after it has seen no renewal for the whole length of the lease.
public protocol StoreLease: Sendable {
    /// The name of the worker whose records the store keeps.
    var name: String { get }

    /// The number of the take-over with which this lease began; each later take-over of the name has a higher number.
    var epoch: Int64 { get }

    /// When this process must stop to act, if the lease is not renewed until then.
    var end: ContinuousClock.Instant { get }

    /// Why this process may no longer act; nil while it may, and never nil again after the first error.
    var error: StoreError? { get }

    /// Makes the store keep the lease when it is closed, until the lease runs out.
    ///
    /// So no other process takes the store over while work of this process may still have effects.
    func keepUntilItEnds()

    /// Calls `completion` after a renewal that begins after this call.
    ///
    /// A machine that was stopped with its clock, such as a virtual machine, may take an old lease for a valid one. So what
    /// rests on no commit must wait for a renewal before it is told.
    ///
    /// - Parameter completion: Called once, on any thread, with nil if the process held the lease at the renewal, or else
    ///   with ``error``.
    func confirm(_ completion: @escaping @Sendable (StoreError?) -> Void)
}

extension RecordStore {
    /// False: no other process can hold such a store by a lease.
    public var isShared: Bool { false }

    /// Nil: no other process can take such a store over.
    public var lease: (any StoreLease)? { nil }
}

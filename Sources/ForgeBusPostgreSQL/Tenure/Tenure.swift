#if PostgreSQL
import ForgeBusStore
import ForgeLocks

/// The right of this process to act for a worker's name, for as long as its lease lasts.
///
/// Another process may take the name over when it has seen no renewal for the length of the lease. So for this process,
/// the length of the lease counts from a moment before the process sent the latest renewal, on a clock that continues
/// while the machine sleeps. The process stops a margin earlier.
final class Tenure: Sendable {
    /// The worker's row in the database, and the store's identity.
    let place: WorkerPlace
    /// A random text that distinguishes this tenure from every other tenure in the database.
    let token: String
    /// The number of the take-over that began this tenure; each later tenure of the name has a higher one.
    let epoch: Int64
    /// How long another process must see no renewal before it takes the name over.
    let lease: Duration
    private let margin: Duration
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let state: Guarded<State>

    /// Called with each new end of the lease, and with nil when the lease is lost; in that order.
    private let changed: (@Sendable (Int64, ContinuousClock.Instant?) -> Void)?

    private struct State {
        var end: ContinuousClock.Instant
        var error: StoreError?
        var isReleased = true
    }

    init(
        of place: WorkerPlace,
        token: String,
        epoch: Int64,
        lease: Duration,
        margin: Duration,
        takenAt: ContinuousClock.Instant,
        clock: @escaping @Sendable () -> ContinuousClock.Instant,
        changed: (@Sendable (Int64, ContinuousClock.Instant?) -> Void)? = nil
    ) {
        self.changed = changed
        (self.place, self.token, self.epoch) = (place, token, epoch)
        (self.lease, self.margin, self.clock) = (lease, margin, clock)
        state = Guarded(State(end: takenAt + lease - margin))
        changed?(epoch, takenAt + lease - margin)
    }

    /// How long the process may still act, if the lease is not renewed.
    var left: Duration { end - clock() }

    /// The parameters with which the functions of the schema recognise this tenure.
    var proof: [PostgresValue] { [.integer(place.id), .text(place.identity), .text(token), .integer(epoch)] }

    /// Whether this process may still act; false for ever after the first time that it is false.
    var holds: Bool { error == nil }

    /// When this process must stop acting, if it does not renew the lease before.
    var end: ContinuousClock.Instant { state.withLock { $0.end } }

    /// The error for everything that is asked after the end of the tenure; nil while this process may act.
    var error: StoreError? {
        let now = clock()
        return state.withLock { state in
            if now >= state.end {
                lose(Errors.leaseEnded(place.name), &state)
            }
            return state.error
        }
    }

    private func lose(_ error: StoreError, _ state: inout State) {
        guard state.error == nil else { return }
        state.error = error
        changed?(epoch, nil)
    }

    /// Whether the name is released when the store is closed; otherwise the lease runs out.
    var isReleased: Bool { state.withLock { $0.isReleased } }

    /// Lets the lease run out when the store is closed.
    func keepUntilItEnds() { state.withLock { $0.isReleased = false } }

    /// Records that a renewal, sent at `time`, has succeeded; a tenure that has ended stays so.
    func renewed(sentAt time: ContinuousClock.Instant) {
        guard holds else { return }
        state.withLock { state in
            state.end = max(state.end, time + lease - margin)
            changed?(epoch, state.end)
        }
    }

    /// Ends the tenure.
    func lose(_ error: StoreError) { state.withLock { lose(error, &$0) } }
}

/// A worker's rows in a database.
struct WorkerPlace: Hashable, Sendable {
    /// The worker's name.
    let name: String
    /// The number with which all rows of the worker begin.
    let id: Int64
    /// The identity of the worker's store.
    let identity: String

    /// The identity of an unfinished copy of another store.
    static let unfinishedCopy = "unfinished copy"
}
#endif

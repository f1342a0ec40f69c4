#if PostgreSQL
import ForgeBusStore

/// A tenure with its renewal, as the worker sees it.
struct HeldLease: StoreLease {
    let tenure: Tenure
    let renewal: Renewal

    var name: String { tenure.place.name }
    var epoch: Int64 { tenure.epoch }
    var end: ContinuousClock.Instant { tenure.end }
    var error: StoreError? { tenure.error }

    func keepUntilItEnds() { tenure.keepUntilItEnds() }

    func confirm(_ completion: @escaping @Sendable (StoreError?) -> Void) { renewal.confirm(completion) }
}
#endif

import DequeModule
import ForgeBusProtocol

/// The store that a request may have been sent to.
///
/// A store remembers the ids of the requests that its worker accepted. A worker with another store does not know these
/// ids, so it would carry out the same request again.
enum Reach: Hashable {
    /// No store: the request was not sent, or each sent copy was refused.
    case nowhere
    /// The store with this identity; nil if the client did not ask for the identity, or the worker does not name one.
    case store(String?)

    /// Whether the request may be sent to a worker with this store.
    func permits(_ store: String?) -> Bool {
        switch self {
        case .nowhere: true
        case .store(let known): known != nil && known == store
        }
    }
}

/// Remembers the ``Reach`` of each request with an unknown outcome, in case a later call uses the same id.
///
/// Pure: it has no side effects. When the book is full, it forgets the oldest request.
struct ReachBook {
    private var reaches: [RequestID: Reach] = [:]
    private var order: Deque<RequestID> = []
    private let capacity: Int

    init(capacity: Int = 10_000) { self.capacity = capacity }

    /// The ``Reach`` of an earlier request with this id; nil if the book does not know such a request.
    subscript(_ id: RequestID) -> Reach? { reaches[id] }

    /// Remembers a request that ended with an unknown outcome.
    mutating func remember(_ reach: Reach, of id: RequestID) {
        guard reaches.updateValue(reach, forKey: id) == nil else { return }
        order.append(id)
        if order.count > capacity, let oldest = order.popFirst() { reaches[oldest] = nil }
    }
}

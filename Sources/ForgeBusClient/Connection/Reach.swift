import DequeModule
import ForgeBusProtocol

/// The store that a request may have been sent to.
///
/// A store remembers the ids of the requests that it accepted. With another store, a worker would carry out the same
/// request again.
enum Reach: Hashable {
    /// No store: the request was not sent, or the worker refused each copy.
    case nowhere
    /// This store; nil if the client did not ask for it, or the worker does not name one.
    case store(String?)

    /// Whether the request may be sent to a worker with this store.
    func permits(_ store: String?) -> Bool {
        switch self {
        case .nowhere: true
        case .store(let known): known != nil && known == store
        }
    }
}

/// Remembers the reach of requests with an unknown outcome, in case they are sent again with the same id.
///
/// Pure. Beyond its capacity it forgets the oldest requests.
struct ReachBook {
    private var reaches: [RequestID: Reach] = [:]
    private var order: Deque<RequestID> = []
    private let capacity: Int

    init(capacity: Int = 10_000) { self.capacity = capacity }

    /// The reach of an earlier request with this id; nil if none is remembered.
    subscript(_ id: RequestID) -> Reach? { reaches[id] }

    /// A request ended with an unknown outcome.
    mutating func remember(_ reach: Reach, of id: RequestID) {
        guard reaches.updateValue(reach, forKey: id) == nil else { return }
        order.append(id)
        if order.count > capacity, let oldest = order.popFirst() { reaches[oldest] = nil }
    }
}

extension Request.Command {
    /// Whether the request must reach only one store.
    ///
    /// A worker with another store would carry the request out again, or would know another run by the same id.
    var isTiedToStore: Bool {
        switch self {
        case .notify, .run, .attach, .cancel, .redrive, .steer, .decide, .withdraw, .mode, .admin: true
        case .hello, .show, .list, .watch, .unwatch, .ping: false
        }
    }
}

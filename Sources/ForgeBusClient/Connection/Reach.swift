import DequeModule
import ForgeBusProtocol

/// The store to which a request may have been sent.
///
/// A store remembers the ids of accepted requests; a worker with another store would carry out the request a second
/// time.
enum Reach: Hashable {
    /// No store: the request was not sent, or the worker refused each copy.
    case nowhere
    /// This store; nil if it is unknown.
    case store(String?)

    /// Whether the request may be sent to a worker with this store.
    func permits(_ store: String?) -> Bool {
        switch self {
        case .nowhere: true
        case .store(let known): known != nil && known == store
        }
    }
}

/// The stores of requests with an unknown outcome, in case a caller sends one again with the same id.
///
/// Pure. Beyond its capacity, it forgets the oldest.
struct ReachBook {
    private var reaches: [RequestID: Reach] = [:]
    private var order: Deque<RequestID> = []
    private let capacity: Int

    init(capacity: Int = 10_000) { self.capacity = capacity }

    /// Where an earlier request with this id was sent; nil if none is remembered.
    subscript(_ id: RequestID) -> Reach? { reaches[id] }

    /// Remembers a request that ended with an unknown outcome.
    mutating func remember(_ reach: Reach, of id: RequestID) {
        guard reaches.updateValue(reach, forKey: id) == nil else { return }
        order.append(id)
        if order.count > capacity, let oldest = order.popFirst() { reaches[oldest] = nil }
    }
}

extension Request.Command {
    /// Whether the command must stay with one store: a worker with another store would carry it out a second time, or
    /// has a different run under the same id.
    var isTiedToStore: Bool {
        switch self {
        case .notify, .run, .attach, .cancel, .redrive, .decide, .withdraw, .mode, .admin: true
        case .hello, .show, .list, .watch, .unwatch, .ping: false
        }
    }
}

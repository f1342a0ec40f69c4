import DequeModule
import ForgeBusProtocol

/// To which store a request may have been sent.
///
/// A store remembers the id of what it took; another one would do it a second time.
enum Reach: Hashable {
    /// To none: no part of it has left, or the worker refused all of it.
    case nowhere
    /// To this one; nil where nobody asked, or the worker does not say.
    case store(String?)

    /// Whether it may be sent to the worker of this store.
    func permits(_ store: String?) -> Bool {
        switch self {
        case .nowhere: true
        case .store(let known): known != nil && known == store
        }
    }
}

/// Where requests were sent whose outcome nobody learned, for those that are sent again under the same id.
///
/// Pure. Beyond its capacity the oldest are forgotten.
struct ReachBook {
    private var reaches: [RequestID: Reach] = [:]
    private var order: Deque<RequestID> = []
    private let capacity: Int

    init(capacity: Int = 10_000) { self.capacity = capacity }

    /// Where an earlier request of this id was sent; nil where none is remembered.
    subscript(_ id: RequestID) -> Reach? { reaches[id] }

    /// A request ended without an outcome.
    mutating func remember(_ reach: Reach, of id: RequestID) {
        guard reaches.updateValue(reach, forKey: id) == nil else { return }
        order.append(id)
        if order.count > capacity, let oldest = order.popFirst() { reaches[oldest] = nil }
    }
}

extension Request.Command {
    /// Whether it means something to one store only: another one would do it a second time, or knows another run by that
    /// name.
    var isTiedToStore: Bool {
        switch self {
        case .notify, .run, .attach, .cancel, .redrive, .decide, .withdraw, .mode, .admin: true
        case .hello, .show, .list, .watch, .unwatch, .ping: false
        }
    }
}

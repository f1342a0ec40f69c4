import ForgeBusProtocol

/// Tracks the credit of one watch, and the numbers of its events.
///
/// Pure. The worker sends only as many events as it has credit for. So the client gives credit for the free room of its
/// reader, and more credit when half of the room is free again. If the watch ends because the reader was too slow or
/// the connection was lost, the client begins it again. The worker then numbers its events from 1 again, and the number
/// of missed events is unknown. The numbers that the reader gets keep rising; each interruption counts as one lost
/// event.
struct Watch {
    private let capacity: Int
    /// The credit that the next WATCH asks for.
    private(set) var wish: Int
    /// How many more events the worker may send.
    private var credit = 0
    /// How much credit the last WATCH asked for.
    private var asked = 0
    /// How many events the reader has not taken yet.
    private var unread = 0
    /// The number of the last event, as the reader got it.
    private var last = 0
    /// The difference between the reader's numbers and the worker's.
    private var offset = 0
    private var wasInterrupted = false
    /// Whether the worker may have begun the watch.
    private var isBegun = false
    /// Whether the worker has sent an event since the watch began.
    private var isTold = false

    init(capacity: Int) {
        self.capacity = capacity
        wish = capacity
    }

    /// The connection took the WATCH that asks for ``wish``.
    mutating func sent() {
        credit += wish
        (asked, wish, isBegun) = (wish, 0, true)
    }

    /// An event came from the worker.
    ///
    /// - Returns: The event with the number that the reader gets.
    mutating func received(_ event: BusEvent) -> BusEvent {
        var told = event
        told.sequence += offset
        if wasInterrupted { told.lost += 1 }
        (wasInterrupted, isTold) = (false, true)
        last = told.sequence
        credit = max(0, credit - 1)
        unread += 1
        return told
    }

    /// The reader has taken `count` events.
    ///
    /// - Returns: Whether there is credit to ask for with a WATCH.
    mutating func taken(_ count: Int) -> Bool {
        unread -= count
        let room = capacity - unread - credit - wish
        if wish > 0 || room * 2 >= capacity { wish += room }
        return wish > 0
    }

    /// The worker ended the watch, or the connection was lost.
    ///
    /// - Returns: Whether there is credit to ask for with a WATCH.
    mutating func interrupted() -> Bool {
        // The reader's numbers skip one, which counts as one lost event.
        if isBegun { (offset, wasInterrupted, isBegun) = (last + 1, true, false) }
        (credit, asked, isTold) = (0, 0, false)
        wish = max(0, capacity - unread)
        return wish > 0
    }

    /// The worker refused the last WATCH.
    mutating func refused() {
        guard isTold else {
            _ = interrupted()
            return
        }
        // A watch that has sent events continues: the worker refused only the additional credit.
        credit = max(0, credit - asked)
        wish += asked
        asked = 0
    }
}

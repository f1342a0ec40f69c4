import ForgeBusProtocol

/// Tracks the credit of one watch, and the numbers of its events.
///
/// Pure: it has no side effects. Each unit of credit lets the worker send one event. The client gives credit for as
/// many events as the reader has room for, and gives more when half of the room is free again. If the watch ends
/// because the reader was too slow or the connection was lost, the client begins the watch again. The worker then
/// numbers its events from 1 again, and the number of missed events is unknown. The numbers that the reader gets do not
/// begin again: they continue to rise, and each interruption counts as one lost event.
struct Watch {
    private let capacity: Int
    /// The credit that the next WATCH asks for.
    private(set) var wish: Int
    /// The number of events that the worker may still send.
    private var credit = 0
    /// The credit that the last WATCH asked for.
    private var asked = 0
    /// The number of events that the reader has not taken yet.
    private var unread = 0
    /// The number of the last event, as the reader got it; 0 before the first event.
    private var last = 0
    /// The difference between the number that the reader gets for an event and the worker's number of the event.
    private var offset = 0
    /// Whether the watch was interrupted after its last event, so the next event reports a loss.
    private var wasInterrupted = false
    /// Whether a WATCH was sent since the last interruption, so the worker may have begun the watch.
    private var isBegun = false
    /// Whether the worker has sent an event since the watch began or began again.
    private var isTold = false

    init(capacity: Int) {
        self.capacity = capacity
        wish = capacity
    }

    /// Records that a WATCH was sent; it asked for the credit ``wish``.
    mutating func sent() {
        credit += wish
        (asked, wish, isBegun) = (wish, 0, true)
    }

    /// Records an event that came from the worker.
    ///
    /// - Returns: The event with the number and the losses that the reader gets.
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

    /// Records that the reader has taken `count` events.
    ///
    /// - Returns: Whether to send a WATCH that asks for ``wish``.
    mutating func taken(_ count: Int) -> Bool {
        unread -= count
        let room = capacity - unread - credit - wish
        if wish > 0 || room * 2 >= capacity { wish += room }
        return wish > 0
    }

    /// Records that the worker ended the watch, or that the connection was lost.
    ///
    /// - Returns: Whether to send a WATCH that asks for ``wish``.
    mutating func interrupted() -> Bool {
        // The reader's numbers skip one number: the gap stands for one lost event.
        if isBegun { (offset, wasInterrupted, isBegun) = (last + 1, true, false) }
        (credit, asked, isTold) = (0, 0, false)
        wish = max(0, capacity - unread)
        return wish > 0
    }

    /// Records that the worker refused the last WATCH.
    mutating func refused() {
        guard isTold else {
            _ = interrupted()
            return
        }
        // If the worker has sent events, the watch continues: the worker refused only the additional credit.
        credit = max(0, credit - asked)
        wish += asked
        asked = 0
    }
}

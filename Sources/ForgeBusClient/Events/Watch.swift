import ForgeBusProtocol

/// The credit of one watch, and the numbers of its events.
///
/// Pure. The worker sends as many events as the client gave it credit for. The client gives as much credit as its
/// reader has room for, and more whenever half of the room is free again. If the worker ends the watch, or the
/// connection is lost, the watch begins again. The worker then numbers the events from 1 again, and nobody knows how
/// many events are missing. The reader sees continuous numbers, in which each interruption is one lost event.
struct Watch {
    private let capacity: Int
    /// The credit that the next WATCH asks for.
    private(set) var wish: Int
    /// How many events the worker may still send.
    private var credit = 0
    /// The credit that the last WATCH asked for.
    private var asked = 0
    /// How many events the reader has not taken yet.
    private var unread = 0
    /// The number of the last event, as the reader sees it.
    private var last = 0
    /// The difference between the reader's numbers and the worker's.
    private var offset = 0
    private var wasInterrupted = false
    /// Whether the worker may have begun the watch.
    private var isBegun = false
    /// Whether an event has come since the watch began.
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
    /// - Returns: The event as the reader gets it.
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

    /// The reader has taken events.
    ///
    /// - Returns: Whether to send a WATCH, unless one is about to be sent.
    mutating func taken(_ count: Int) -> Bool {
        unread -= count
        let room = capacity - unread - credit - wish
        if wish > 0 || room * 2 >= capacity { wish += room }
        return wish > 0
    }

    /// The watch ended at the worker, or the connection was lost.
    ///
    /// - Returns: Whether to send a WATCH.
    mutating func interrupted() -> Bool {
        // The first event that follows has a number one higher than if nothing had been lost.
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
        // A watch that has told events goes on: only more credit was refused.
        credit = max(0, credit - asked)
        wish += asked
        asked = 0
    }
}

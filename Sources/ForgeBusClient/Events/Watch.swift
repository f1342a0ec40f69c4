import ForgeBusProtocol

/// The credit of one watch, and the numbers of its events.
///
/// Pure. The worker tells as many events as it was given credit for, so the client gives as much as its reader has room
/// for, and more whenever half of that room is free again. A watch that ends all the same, because the reader was slower
/// than that or the connection was lost, begins again. The worker then counts from 1 again, and nobody knows how many
/// events were missed: the reader sees one count, in which each interruption is one lost event.
struct Watch {
    private let capacity: Int
    /// What the next WATCH asks for.
    private(set) var wish: Int
    /// How many events the worker may still tell.
    private var credit = 0
    /// How many of them the last WATCH asked for.
    private var asked = 0
    /// How many events the reader has not taken yet.
    private var unread = 0
    /// The number of the last event that was told to the reader.
    private var last = 0
    /// What is added to the worker's numbers.
    private var offset = 0
    private var wasInterrupted = false
    /// Whether the worker may have begun it.
    private var isBegun = false
    /// Whether the worker has told an event since it began.
    private var isTold = false

    init(capacity: Int) {
        self.capacity = capacity
        wish = capacity
    }

    /// The WATCH that asks for ``wish`` was handed to the connection.
    mutating func sent() {
        credit += wish
        (asked, wish, isBegun) = (wish, 0, true)
    }

    /// The worker told an event.
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
    /// - Returns: Whether a WATCH is to be sent, if none is about to be.
    mutating func taken(_ count: Int) -> Bool {
        unread -= count
        let room = capacity - unread - credit - wish
        if wish > 0 || room * 2 >= capacity { wish += room }
        return wish > 0
    }

    /// The watch ended at the worker, or the connection was lost.
    ///
    /// - Returns: Whether a WATCH is to be sent.
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

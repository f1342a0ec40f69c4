import ForgeBusProtocol
import ZeroMQ

/// One request that waits for its answers.
///
/// Owned by the reactor's thread, as part of ``ClientLoop``.
struct Call {
    /// Tells one call from another that uses the same id, and which of two began first.
    final class Ticket: Sendable {
        let id: RequestID

        init(_ id: RequestID) { self.id = id }
    }

    let ticket: Ticket
    /// Its place among all calls, in the order in which they began.
    let number: UInt64
    /// The request as it travels, the same bytes each time.
    let message: Message
    /// Whether it has a place in the window until its first answer.
    let isCounted: Bool
    /// Whether it may not be sent to a second store.
    let isTiedToStore: Bool
    var outstanding: Outstanding
    /// Where it may have been sent; nowhere for what every store may get.
    private(set) var reach: Reach
    /// Runs at the next check.
    var timer: TimerID?
    let listener: Listener

    init(
        _ request: Request,
        as message: Message,
        _ ticket: Ticket,
        _ number: UInt64,
        _ outstanding: Outstanding,
        _ reach: Reach,
        _ listener: Listener
    ) {
        (self.ticket, self.number, self.message, self.listener) = (ticket, number, message, listener)
        (isCounted, isTiedToStore) = (request.command.isAnsweredAtOnce, request.command.isTiedToStore)
        (self.outstanding, self.reach) = (outstanding, reach)
    }

    /// It was handed to a connection to the worker of this store.
    mutating func sent(to place: Reach) { if isTiedToStore { reach = place } }

    /// The worker did nothing about what was sent last: it may go anywhere, if nothing was sent before.
    mutating func refused() { if !outstanding.mayBeTaken { reach = .nowhere } }

    /// Who gets the answers, on the reactor's thread.
    struct Listener: Sendable {
        /// Gets each answer but the last.
        var news: @Sendable (Answer.Content) -> Void = { _ in }
        /// Gets the last answer, or why there is none; once.
        let end: @Sendable (Result<Answer.Content, BusError>) -> Void
    }
}

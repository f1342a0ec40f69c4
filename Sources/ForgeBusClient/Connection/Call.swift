import ForgeBusProtocol
import ZeroMQ

/// A request that waits for its last answer.
///
/// Owned by the reactor's thread, as part of ``ClientLoop``.
struct Call {
    /// Identifies one call; another call may have the same request id.
    final class Ticket: Sendable {
        let id: RequestID

        init(_ id: RequestID) { self.id = id }
    }

    let ticket: Ticket
    /// The number of the call, in the order in which the calls began.
    let number: UInt64
    /// The encoded request; each resend sends the same bytes.
    let message: Message
    /// Whether the request counts in the window until its first answer.
    let isCounted: Bool
    /// Whether the request must not reach a second store.
    let isTiedToStore: Bool
    var outstanding: Outstanding
    /// The store that the request may have been sent to; stays `nowhere` for a request that may reach any store.
    private(set) var reach: Reach
    /// The timer of the next check.
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

    /// The request was handed to a connection with this reach.
    mutating func sent(to place: Reach) { if isTiedToStore { reach = place } }

    /// The worker refused a copy of the request: if it cannot have accepted another copy, the request may go to any
    /// store.
    mutating func refused() { if !outstanding.mayBeTaken { reach = .nowhere } }

    /// The handlers of the answers, called on the reactor's thread.
    struct Listener: Sendable {
        /// Gets each answer except the last one.
        var news: @Sendable (Answer.Content) -> Void = { _ in }
        /// Gets the last answer, or the error if there is none; called once.
        let end: @Sendable (Result<Answer.Content, BusError>) -> Void
    }
}

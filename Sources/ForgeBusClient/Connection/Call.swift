import ForgeBusProtocol
import ZeroMQ

/// One request that waits for its answers.
///
/// Owned by the reactor's thread, as part of ``ClientLoop``.
struct Call {
    /// Distinguishes a call from a later call with the same id.
    final class Ticket: Sendable {
        let id: RequestID

        init(_ id: RequestID) { self.id = id }
    }

    let ticket: Ticket
    /// The call's number, in the order in which the calls began.
    let number: UInt64
    /// The encoded request, with the same bytes for each send.
    let message: Message
    /// Whether the request takes a place in the window until its first answer.
    let isCounted: Bool
    /// Whether the client must not send the request to a second store.
    let isTiedToStore: Bool
    var outstanding: Outstanding
    /// The store that may have got the request; `nowhere` if every store may get it.
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

    /// Records that the connection to this store took the request.
    mutating func sent(to place: Reach) { if isTiedToStore { reach = place } }

    /// Records a refusal; if the worker refused every copy, the request may now go to any store.
    mutating func refused() { if !outstanding.mayBeTaken { reach = .nowhere } }

    /// Gets the answers, on the reactor's thread.
    struct Listener: Sendable {
        /// Gets each answer but the last.
        var news: @Sendable (Answer.Content) -> Void = { _ in }
        /// Gets the last answer, or the reason why there is none; called once.
        let end: @Sendable (Result<Answer.Content, BusError>) -> Void
    }
}

import ForgeBusProtocol
import ZeroMQ

/// A request that waits for its last answer.
///
/// The reactor's thread owns this value, as part of ``ClientLoop``.
struct Call {
    /// Identifies one call, because a later call may use the same request id.
    final class Ticket: Sendable {
        let id: RequestID

        init(_ id: RequestID) { self.id = id }
    }

    let ticket: Ticket
    /// The number of the call; calls are numbered in the order in which they begin.
    let number: UInt64
    /// The encoded request; each resend sends the same bytes.
    let message: Message
    /// Whether the request takes a place in the connection's ``Window`` until its first answer.
    let isCounted: Bool
    /// Whether copies of the request must not be sent to different stores.
    let isTiedToStore: Bool
    /// Whether the request only reads, so that it has no outcome and a resend needs no id.
    let onlyReads: Bool
    var outstanding: Outstanding
    /// The store that the request may have been sent to; always `nowhere` for a request that may be sent to any store.
    private(set) var reach: Reach
    /// The timer of the next check of the request; nil if no check is scheduled.
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
        onlyReads = if case .notify = request.command { false } else { !request.command.isLedgered }
        (self.outstanding, self.reach) = (outstanding, reach)
    }

    /// Whether nobody knows the outcome of the request if the call ends now.
    var isInDoubt: Bool { outstanding.mayBeTaken && !onlyReads }

    /// Records that the request was sent to this store; does nothing for a request that may be sent to any store.
    mutating func sent(to place: Reach) { if isTiedToStore { reach = place } }

    /// Records that the worker refused a copy of the request.
    ///
    /// If each sent copy was refused, the request may then be sent to any store.
    mutating func refused() { if !outstanding.mayBeTaken { reach = .nowhere } }

    /// The closures that get the answers; they run on the reactor's thread.
    struct Listener: Sendable {
        /// Gets each answer except the last one.
        var news: @Sendable (Answer.Content) -> Void = { _ in }
        /// Gets the last answer, or the error if no last answer came; called once.
        let end: @Sendable (Result<Answer.Content, BusError>) -> Void
    }
}

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
    var outstanding: Outstanding
    /// Where it may have been sent.
    var reach = Reach.nowhere
    /// Runs at the next check.
    var timer: TimerID?
    let listener: Listener

    /// Who gets the answers, on the reactor's thread.
    struct Listener: Sendable {
        /// Gets each answer but the last.
        var news: @Sendable (Answer.Content) -> Void = { _ in }
        /// Gets the last answer, or why there is none; once.
        let end: @Sendable (Result<Answer.Content, BusError>) -> Void
    }
}

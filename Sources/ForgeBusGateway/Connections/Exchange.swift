/// Where the exchange of requests and answers on one connection stands.
///
/// A connection whose request is answered before it has arrived completely ends with that answer: otherwise a client
/// could keep the connection for as long as it sends further bytes of the body.
///
/// Pure: the caller passes parts on, and closes the connection.
struct Exchange {
    private enum State {
        case open
        /// The answer that the gateway sends now is the last one.
        case answeringLast
        /// The last answer is sent; what still arrives is dropped.
        case over
    }

    private var state = State.open
    /// Requests whose answers are not sent completely.
    private var unanswered = 0
    /// Whether the latest request has not arrived completely.
    private var isReading = false

    /// Whether the gateway has no whole request that it still has to answer.
    var isQuiet: Bool { unanswered <= (isReading ? 1 : 0) }

    /// What the caller does with a part of a request.
    enum Arrival: Hashable {
        case pass
        case drop
        /// Nothing more comes, so the connection can be closed without harm to the last answer.
        case close
    }

    mutating func headArrived() -> Arrival {
        guard state == .open else { return .drop }
        unanswered += 1
        isReading = true
        return .pass
    }

    func bodyArrived() -> Arrival { state == .over ? .drop : .pass }

    mutating func endArrived() -> Arrival {
        isReading = false
        return state == .over ? .close : .pass
    }

    /// An answer begins; `isLast` says that the gateway wants to close the connection after it.
    ///
    /// - Returns: Whether the answer is the last one.
    mutating func answerBegan(isLast: Bool) -> Bool {
        guard isLast || isReading && unanswered == 1 else { return false }
        state = .answeringLast
        return true
    }

    /// What is to be done after an answer.
    enum Next: Hashable {
        case serve
        case close
        /// The client still sends: it gets some time to read the answer, because bytes that nobody reads would destroy it.
        case linger
    }

    mutating func answerEnded() -> Next {
        unanswered -= 1
        guard state == .answeringLast else { return .serve }
        state = .over
        // An answer without a request is about one that cannot be read.
        return isReading || unanswered < 0 ? .linger : .close
    }
}

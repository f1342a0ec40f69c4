public import ForgeBusProtocol

/// Sends the requests of a gateway to a worker.
///
/// ``ClientBus`` sends them over a connection. A program that hosts the worker itself can pass them to
/// `BusWorker.submit(_:as:)` instead.
public protocol GatewayBus: Sendable {
    /// Sends a request; its `principal` is the principal for which the gateway sends it, or nil if the worker does not
    /// distinguish its senders.
    ///
    /// Several requests with the same id may wait at the same time.
    ///
    /// - Parameter request: The request.
    /// - Returns: The answers. When the method returns, it is certain that the worker gets this request before later
    ///   ones. A refusal is an `error` answer. If no last answer comes, an `error` with the reason takes its place. If
    ///   the reader ends early, nobody waits for further answers, but a requested run continues.
    func answers(to request: Request) async -> AsyncStream<Answer.Content>
}

extension GatewayBus {
    /// Sends a request, and waits for its last answer.
    ///
    /// - Throws: The worker's refusal, or the reason why no answer came.
    func ask(_ request: Request) async throws(BusError) -> Answer.Content {
        var last: Answer.Content?
        for await answer in await answers(to: request) { last = answer }
        switch last {
        case .error(let error): throw error
        case let answer?: return answer
        case nil: throw .gaveUp(request.id)
        }
    }
}

extension BusError {
    fileprivate static func gaveUp(_ id: RequestID) -> BusError {
        BusError(
            .timeout,
            "The gateway stopped before an answer came: the outcome of the request \(id) is unknown.",
            next: "When a gateway runs again, send the request again; if it makes a change, send it with the header "
                + "`Idempotency-Key: \(id)`. With this header, a run or a decision is carried out only once; a "
                + "notification may cause one more cycle."
        )
    }
}

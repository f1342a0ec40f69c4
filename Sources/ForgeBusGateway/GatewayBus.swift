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
        try await outcome(of: request, within: .seconds(30)).get()
    }

    /// The last answer to a request, or the worker's refusal; `timeout` if no answer comes within `limit`.
    func outcome(of request: Request, within limit: Duration) async -> Result<Answer.Content, BusError> {
        let last = await withTaskGroup(of: Answer.Content?.self) { group in
            group.addTask {
                var last: Answer.Content?
                for await answer in await answers(to: request) { last = answer }
                return last
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        return switch last {
        case .error(let error): .failure(error)
        case let answer?: .success(answer)
        case nil: .failure(Errors.gaveUp(request.id))
        }
    }
}

public import ForgeBusProtocol

/// Requests of the worker's own process.
extension BusWorker {
    /// Accepts a request without a socket, as if `principal` had sent it over a connection of its own.
    ///
    /// Authorisation, ledger and limits are the same as for a connection. The same request sent again, this way or over
    /// a socket, gets the stored answer. A submission that waits for answers counts as a connection in
    /// ``WorkerLimits/connections``. The call waits until the worker's endpoints are bound.
    ///
    /// The sequence gives the first answer, then the later answers to the same request, such as PROGRESS and RESULT,
    /// and then ends. A refusal is an `error` answer; it is not thrown. The sequence ends early when the worker stops,
    /// or when a new access policy does not name the principal.
    ///
    /// Only one task may read the sequence. When that task is cancelled, or the sequence is released, no more answers
    /// come: a watch ends, a run continues. Unread answers have the same limits as on a connection.
    ///
    /// - Parameters:
    ///   - request: The request, with its id.
    ///   - principal: The sender: `local` for a worker without keys, otherwise a principal of its ``AccessPolicy``.
    /// - Returns: The answers to the request.
    /// - Throws: The error that kept ``run()`` from serving; ``WorkerError`` with code `standby` while another process holds
    ///   the worker's store, or with code `usage` after ``run()`` has ended; `CancellationError`.
    public func submit(
        _ request: Request,
        as principal: AccessPolicy.Principal
    ) async throws -> AsyncStream<Answer> {
        guard !lifecycle.isWaiting else {
            throw Errors.standby
        }
        return try await lifecycle.bound().loop.submit(request, as: principal)
    }
}

public import ForgeBusProtocol

/// Requests of the worker's own process.
extension BusWorker {
    /// Takes a request without a socket, as if `principal` had sent it over a connection of its own.
    ///
    /// Authorisation, ledger and limits are the same: the request sent again, this way or over a socket, gets the stored
    /// answer, and each submission that waits for answers counts as one of ``WorkerLimits/connections``.
    ///
    /// The sequence gives the first answer, then what follows it (PROGRESS, EVENT, EVALUATED, RESULT), and ends after the
    /// last one. A refusal is an answer, `error`, and not thrown. Without its last answer it ends when the worker stops,
    /// and when an access policy that does not know the principal takes the place of the one that holds.
    ///
    /// One task reads the sequence. When that is cancelled, or nobody has the sequence any more, nothing more is told:
    /// a watch ends; a run goes on. Answers that are not read are bounded as on a connection.
    ///
    /// - Parameters:
    ///   - request: What is asked, under its id.
    ///   - principal: Who asks: `local` for a worker without keys, otherwise one that its ``AccessPolicy`` knows.
    /// - Returns: The answers.
    /// - Throws: What kept ``run()`` from serving, and ``WorkerError`` with code `usage` once it has ended. Before the
    ///   endpoints are bound it waits.
    public func submit(
        _ request: Request,
        as principal: AccessPolicy.Principal
    ) async throws -> AsyncStream<Answer> {
        try await lifecycle.bound().loop.submit(request, as: principal)
    }
}

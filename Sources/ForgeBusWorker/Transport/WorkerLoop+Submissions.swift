import ForgeBusProtocol
import ZeroMQ

/// Requests that code in the worker's process submits without a socket.
extension WorkerLoop {
    /// Accepts a request as if it came over a connection of its own.
    ///
    /// The method encodes the request first, so that a request over the socket has the same limits and rules.
    ///
    /// - Returns: The answers to the request; the sequence ends after the last answer.
    func submit(_ request: Request, as principal: AccessPolicy.Principal) async -> AsyncStream<Answer> {
        var buffer = FrameBuffer()
        request.encode(into: &buffer)
        return await take(request, buffer.frames, as: principal, on: reactor)
    }

    private func take(
        _ request: Request,
        _ frames: Frames,
        as principal: AccessPolicy.Principal,
        on reactor: isolated Reactor
    ) -> AsyncStream<Answer> {
        let (answers, continuation) = AsyncStream.makeStream(
            of: Answer.self,
            bufferingPolicy: .bufferingOldest(Submissions.queueLength)
        )
        guard mayAct, let connection = submissions.open(request.command, continuation) else {
            continuation.finish()
            return answers
        }
        continuation.onTermination = { [weak self] reason in
            guard case .cancelled = reason, let self else { return }
            self.reactor.submit { reactor in self.hangUp(connection, reactor) }
        }
        counters[.received] += 1
        // PING needs no right: code of the worker's own process may always ask whether the worker is ready.
        var isPing: Bool { if case .ping = request.command { true } else { false } }
        guard isPing || core.access.knows(principal) else {
            answer(
                Errors.unknownPrincipal(principal.name, isKeyed: core.access.isKeyed),
                to: request.id,
                at: connection
            )
            return answers
        }
        var caller = Caller(connection, principal)
        if let crowding = hear(&caller) {
            postman.refuse(crowding, request.id, of: caller, reactor)
        } else {
            decide(frames, of: caller, principal, reactor)
        }
        return answers
    }

    /// Closes a submission whose answers nobody reads any more.
    private func hangUp(_ connection: ConnectionID, _ reactor: isolated Reactor) {
        submissions.close(connection)
        step(.disconnected(connection), reactor)
        postman.retry(connection, reactor)
    }
}

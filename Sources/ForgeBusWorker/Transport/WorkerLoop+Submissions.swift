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
    ) -> AsyncStream<Answer> { door.take(request, frames, as: principal, reactor) }
}

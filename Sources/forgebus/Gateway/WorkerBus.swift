#if HTTP
import ForgeBusGateway
import ForgeBusProtocol
import ForgeBusWorker
import ZeroMQ

/// Passes the requests of a gateway to the worker of the same process.
struct WorkerBus: GatewayBus {
    let worker: BusWorker

    func answers(to request: Request) async -> AsyncStream<Answer.Content> {
        let (passed, continuation) = AsyncStream<Answer.Content>
            .makeStream(bufferingPolicy: .bufferingNewest(1024))
        do {
            var own = request
            own.principal = nil
            let principal = request.principal.map { AccessPolicy.Principal($0.text) } ?? .local
            let answers = try await worker.submit(own, as: principal)
            let passing = Task {
                for await answer in answers { continuation.yield(answer.content) }
                continuation.finish()
            }
            continuation.onTermination = { reason in if case .cancelled = reason { passing.cancel() } }
        } catch {
            continuation.yield(.error(Self.stopped(error)))
            continuation.finish()
        }
        return passed
    }

    private static func stopped(_ error: any Error) -> BusError {
        let next =
            "Send the request again later. If the worker still does not answer, ask the operator to read the worker's "
            + "log and to start the worker again."
        if let cause = error as? ZeroMQError {
            return BusError(
                .unreachable,
                "The gateway cannot reach the worker. \(cause.message)",
                next: "\(next) Advice for the operator: \(cause.next)"
            )
        }
        guard let cause = error as? WorkerError else {
            return BusError(.unreachable, "The worker does not answer requests now. \(error)", next: next)
        }
        switch cause.code {
        case .standby: return BusError(.unreachable, cause.message, next: cause.next)
        // The advice of a `usage` error is for a program in Swift, and not for a user of HTTP.
        case .usage: return BusError(.unreachable, cause.message, next: next)
        default:
            return BusError(
                .unreachable,
                "The worker has stopped because of an error. \(cause.message)",
                next: "\(next) Advice for the operator: \(cause.next)"
            )
        }
    }
}
#endif

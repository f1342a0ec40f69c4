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
            continuation.yield(.error(Errors.stoppedWorker(error)))
            continuation.finish()
        }
        return passed
    }
}
#endif

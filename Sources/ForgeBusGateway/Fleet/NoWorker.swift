import ForgeBusProtocol

/// Stands for the single worker of a gateway that serves only a fleet: each request gets the error that there is none.
struct NoWorker: GatewayBus {
    func answers(to request: Request) async -> AsyncStream<Answer.Content> {
        AsyncStream { answers in
            answers.yield(.error(Errors.noWorker))
            answers.finish()
        }
    }
}

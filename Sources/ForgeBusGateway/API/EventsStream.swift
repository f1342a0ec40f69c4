import ForgeBusProtocol
import ServiceLifecycle

/// Sends the worker's events that match a pattern as server-sent events, until the reader leaves or the gateway stops.
///
/// The event `change` has the members of EVENT; `problem` says why no more events come.
struct EventsStream: Sendable {
    let bus: any GatewayBus
    let keepAlive: Duration
    let pattern: NamePattern
    let principal: Name?
    let stay: Stay

    private enum Step: Sendable {
        case happened(BusEvent)
        case failed(BusError)
        case quiet
    }

    func send(with send: EventSink) async throws {
        // The head of the answer goes out at once, so that the reader knows that it is connected.
        try await send(.comment)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (steps, continuation) = AsyncStream<Step>.makeStream(bufferingPolicy: .bufferingNewest(1024))
            group.addTask { await watch(continuation) }
            group.addTask {
                while true {
                    try await Task.sleep(for: keepAlive)
                    continuation.yield(.quiet)
                }
            }
            group.addTask {
                await stay.end()
                continuation.finish()
            }
            group.addTask {
                try await gracefulShutdown()
                continuation.finish()
            }
            defer { group.cancelAll() }
            for await step in steps {
                guard stay.isStillLetIn() else { return }
                switch step {
                case .happened(let event): try await send(ServerEvent(name: "change", data: event.json))
                case .failed(let error): try await send(ServerEvent(name: "problem", data: Problem(error).json))
                case .quiet: try await send(.comment)
                }
            }
        }
    }

    /// Watches again each time the worker has sent as many events as one watch may have.
    private func watch(_ steps: AsyncStream<Step>.Continuation) async {
        defer { steps.finish() }
        while !Task.isCancelled {
            let watch = Request(.watch(WatchRequest(pattern, credit: WireLimits.credit)), as: principal)
            for await answer in await bus.answers(to: watch) {
                switch answer {
                case .event(let event): steps.yield(.happened(event))
                case .error(let error):
                    steps.yield(.failed(error))
                    return
                default: break
                }
            }
        }
    }
}

import ForgeBusProtocol
import ServiceLifecycle

/// Follows a run, and sends its changes as server-sent events.
///
/// The first event is `run`, the run as SHOW shows it. Then come `progress` for each change, and `result` or `state` at
/// the end. The id of a change is its number, so that a reader who connects again gets no change twice. Changes that
/// happened while the reader was not connected are not sent; the event `run` shows their effect. The id of the last
/// event of an ended run is ``end``. A reader who connects again with this id gets the status 204, and a browser then
/// does not connect any more.
struct RunStream: Sendable {
    let bus: any GatewayBus
    let keepAlive: Duration
    let run: Name
    let principal: Name?
    let stay: Stay
    /// The number of the last change that the reader has seen.
    let seen: Int

    /// The id of the event `result`.
    static let end = "end"

    private enum Step: Sendable {
        case answered(Answer.Content)
        case quiet
    }

    func send(with send: EventSink) async throws {
        let attach = Request(.attach(AttachRequest(run: run, wantsProgress: true)), as: principal)
        // The worker gets the ATTACH first, so no change falls between the run as it is shown and the first change.
        let answers = await bus.answers(to: attach)
        if case .shown(let object) = try await bus.ask(Request(.show(ShowRequest(.run, run)), as: principal)) {
            try await send(ServerEvent(name: "run", data: object))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (steps, continuation) = AsyncStream<Step>.makeStream(bufferingPolicy: .bufferingNewest(1024))
            group.addTask {
                for await answer in answers { continuation.yield(.answered(answer)) }
                continuation.finish()
            }
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
            // A gateway that stops does not wait for the run: the reader connects to the next gateway.
            group.addTask {
                try await gracefulShutdown()
                continuation.finish()
            }
            defer { group.cancelAll() }
            for await step in steps {
                guard stay.isStillLetIn() else { return }
                if let event = event(for: step) { try await send(event) }
            }
        }
    }

    /// The event for a step; nil for a change that the reader has seen.
    private func event(for step: Step) -> ServerEvent? {
        switch step {
        case .answered(.progress(let progress)):
            guard progress.sequence > seen else { return nil }
            var data = progress.change.json()
            data["sequence"] = .integer(Int64(progress.sequence))
            return ServerEvent(name: "progress", id: "\(progress.sequence)", data: data)
        case .answered(.result(let result)): return ServerEvent(name: "result", id: Self.end, data: result.json)
        // Too many requests follow the run: the reader connects again after a while.
        case .answered(.ok(let report)): return ServerEvent(name: "state", data: report.json)
        case .answered(.error(let error)): return ServerEvent(name: "problem", data: Problem(error).json)
        case .answered: return ServerEvent(name: "problem", data: Problem(Errors.unexpectedAnswer).json)
        case .quiet: return .comment
        }
    }
}

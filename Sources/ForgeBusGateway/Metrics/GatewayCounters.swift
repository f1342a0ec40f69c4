import ForgeBusFleet
import ForgeBusProtocol
import ForgeLocks

/// Counts what the gateway itself has answered.
final class GatewayCounters: Sendable {
    private struct State {
        /// The number of answers by the first digit of their status.
        var answers: [Int: Int] = [:]
        var seconds = 0.0
    }

    private let state = Guarded(State())

    func count(status: Int, took time: Duration) {
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        state.withLock { state in
            state.answers[status / 100, default: 0] += 1
            state.seconds += seconds
        }
    }

    /// The metrics of the worker, as the sender may read them, those of the fleet, and those of the gateway.
    func page(
        _ bus: (any GatewayBus)?,
        _ fleet: FleetBoard.Summary?,
        _ request: APIRequest,
        _ connections: (open: Int, turnedAway: Int)
    ) async throws(BusError) -> APIResponse {
        guard request.method == .get || request.method == .head else {
            throw Errors.unknownMethod(request.method.rawValue, allowed: ["GET", "HEAD"])
        }
        let (show, sender) = (Request.Command.show(.worker), request.sender)
        try sender.check(show)
        var lines = lines(connections)
        if let bus {
            guard case .shown(let worker) = try await bus.ask(Request(show, as: sender.principal)) else {
                throw Errors.unexpectedAnswer
            }
            lines = WorkerMetric.all.flatMap { $0.lines(worker) } + lines
        }
        if let fleet { lines += FleetMetrics.lines(fleet) }
        let text = lines.joined(separator: "\n") + "\n"
        var answer = APIResponse(.ok)
        answer.body = .bytes(Array(text.utf8), type: "text/plain; version=0.0.4; charset=utf-8")
        return answer
    }

    /// The lines of the gateway's own metrics.
    private func lines(_ connections: (open: Int, turnedAway: Int)) -> [String] {
        let (answers, seconds) = state.withLock { ($0.answers, $0.seconds) }
        let values = (2...5).map { WorkerMetric.Value(Double(answers[$0] ?? 0), "status", "\($0)xx") }
        return WorkerMetric.lines(Self.requests, .counter, "Requests that the gateway has answered, by status.", values)
            + WorkerMetric.lines(
                Self.time,
                .counter,
                "The time that the answers took together.",
                [WorkerMetric.Value(seconds)]
            )
            + WorkerMetric.lines(
                "forgebus_gateway_connections",
                .gauge,
                "Open connections to the gateway.",
                [WorkerMetric.Value(Double(connections.open))]
            )
            + WorkerMetric.lines(
                "forgebus_gateway_connections_turned_away_total",
                .counter,
                "Connections for which the gateway had no place, or had to close another.",
                [WorkerMetric.Value(Double(connections.turnedAway))]
            )
    }

    static let requests = "forgebus_gateway_requests_total"
    static let time = "forgebus_gateway_request_seconds_total"
}

import ForgeBusProtocol

/// Answers whether the gateway and its worker accept requests.
struct Readiness: Sendable {
    /// The worker; nil for a gateway that serves only a fleet, whose workers are ready or not on their own.
    let bus: (any GatewayBus)?
    let isStopping: Bool

    /// 200 if both accept requests, otherwise 503 with the check that failed.
    var response: APIResponse {
        get async {
            guard !isStopping else { return Self.failed("gateway", "The gateway is stopping.") }
            guard let bus else { return APIResponse(.ok, ["status": "ok"]) }
            do throws(BusError) {
                guard case .pong(let pong) = try await bus.ask(Request(.ping([]))) else {
                    throw Errors.unexpectedAnswer
                }
                guard pong.state == .ready else {
                    return Self.failed("worker", "The worker is \(pong.state.rawValue).")
                }
                return APIResponse(.ok, ["status": "ok", "worker": .string(pong.worker)])
            } catch {
                return Self.failed("worker", error.message)
            }
        }
    }

    private static func failed(_ check: String, _ why: String) -> APIResponse {
        APIResponse(.serviceUnavailable, ["status": "failed", "check": .string(check), "why": .string(why)])
    }
}

import ForgeBusProtocol
import Foundation
import HTTPTypes
import Logging

/// Answers the deliveries to the webhooks of a gateway, at the paths below `/hooks`.
struct WebhookDoor: Sendable {
    let webhooks: [String: Webhook]
    let bus: any GatewayBus
    let logger: Logger

    /// Answers a delivery.
    ///
    /// - Parameters:
    ///   - request: The request without its body.
    ///   - now: The current time.
    ///   - body: Reads the body.
    /// - Returns: The answer; nil if the path is not one below `/hooks`.
    /// - Throws: `BusError` if there is no such webhook, the delivery is not valid, or the worker refuses what it causes.
    func respond(
        to request: APIRequest,
        at now: Date,
        body: () async throws(BusError) -> [UInt8]
    ) async throws(BusError) -> APIResponse? {
        guard request.path.first == "hooks" else { return nil }
        guard request.path.count == 2, let webhook = webhooks[request.path[1]] else {
            throw .unknownPath("/" + request.path.joined(separator: "/"))
        }
        guard request.method == .post else { throw .unknownMethod(request.method.rawValue, allowed: ["POST"]) }
        var request = request
        request.body = try await body()
        let secret = try secret(of: webhook, named: request.path[1])
        let delivery = try Delivery(request, signature: webhook.signature, secret: secret, at: now).namingEvent
        if let events = webhook.events, !events.contains(delivery.event) {
            return APIResponse(.ok, ["ignored": .string(delivery.event)])
        }
        return try await effect(of: webhook, delivery, request)
    }

    private func secret(of webhook: Webhook, named name: String) throws(BusError) -> String {
        do { return try webhook.secret() } catch {
            logger.error("a webhook has no secret", metadata: ["webhook": "\(name)", "error": "\(error)"])
            throw BusError(
                .unreachable,
                "The gateway cannot read the secret of this webhook.",
                next: "Look at the log of the gateway."
            )
        }
    }

    private func effect(
        of webhook: Webhook,
        _ delivery: Delivery,
        _ request: APIRequest
    ) async throws(BusError) -> APIResponse {
        let command = try webhook.command(for: delivery)
        var asked = Request(command, id: delivery.requestID, as: webhook.principal)
        asked.traceparent = request.fields[.traceparent].flatMap { $0.utf8.count <= 128 ? $0 : nil }
        guard case .accepted(let acceptance) = try await bus.ask(asked) else { throw .unexpectedAnswer }
        var answer = APIResponse(.accepted, ["delivery": .string(delivery.id)])
        if let run = acceptance.run {
            answer = APIResponse(.accepted, ["delivery": .string(delivery.id), "run": .string(run.text)])
            answer.fields[.location] = "/v1/runs/\(run.text)"
        }
        return answer
    }
}

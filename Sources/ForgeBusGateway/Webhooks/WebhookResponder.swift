import ForgeBusClient
import ForgeBusProtocol
import ForgeLocks
import Foundation
import HTTPTypes
import Logging

/// Answers the deliveries to the webhooks of a gateway, at the paths below `/hooks`.
final class WebhookResponder: Sendable {
    private let webhooks: [String: Webhook]
    private let bus: any GatewayBus
    private let logger: Logger
    private let refusals = Guarded(RefusalRate())
    /// The number of bodies in memory whose signatures are not checked yet.
    private let unproven = Guarded(0)

    /// The most such bodies, of at most 1 MiB each.
    private static let mostUnproven = 16

    init(webhooks: [String: Webhook], bus: any GatewayBus, logger: Logger) {
        (self.webhooks, self.bus, self.logger) = (webhooks, bus, logger)
    }

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
            throw Errors.unknownPath("/" + request.path.joined(separator: "/"))
        }
        guard request.method == .post else { throw Errors.unknownMethod(request.method.rawValue, allowed: ["POST"]) }
        guard request.mediaType != "application/x-www-form-urlencoded" else {
            throw Errors.postedForm(request.mediaType)
        }
        do throws(BusError) {
            let delivery = try await delivery(request, to: webhook, at: now, body)
            guard webhook.wants(delivery) else { return APIResponse(.ok, ["ignored": .string(delivery.event)]) }
            return try await effect(of: webhook, delivery, request)
        } catch {
            var error = error
            if error.code == .tooLarge {
                error.next = "Let the service send less data, or only the events that the webhook needs."
            }
            let next = Errors.nextOfDelivery(after: error)
            error.next = next ?? error.next
            tell(error, of: request.path[1])
            if let next { return APIResponse(Problem(error, next: next)) }
            throw error
        }
    }

    /// Logs a refusal, because the service that sent the delivery shows the answer to nobody.
    ///
    /// Anybody can send what is refused, so a flood must not fill the log.
    private func tell(_ error: BusError, of webhook: String) {
        let (isLogged, leftOut) = refusals.withLock { $0.count(at: .now) }
        if leftOut > 0 {
            logger.notice(
                "further failed deliveries were not logged, to keep the log short",
                metadata: ["times": "\(leftOut)"]
            )
        }
        guard isLogged else { return }
        logger.notice(
            "a delivery to a webhook failed",
            metadata: [
                "webhook": "\(webhook)", "code": "\(error.code.rawValue)", "reason": "\(error.message)",
                "next": "\(error.next)",
            ]
        )
    }

    /// Reads a delivery, and checks its signature.
    private func delivery(
        _ request: APIRequest,
        to webhook: Webhook,
        at now: Date,
        _ body: () async throws(BusError) -> [UInt8]
    ) async throws(BusError) -> Delivery {
        guard HTTPField.Name(webhook.proof).map({ request.fields[$0] != nil }) == true else {
            throw Errors.badSignature(webhook.proof, isMissing: true)
        }
        let secret = try secret(of: webhook, named: request.path[1])
        let hasRoom = unproven.withLock { count in
            guard count < Self.mostUnproven else { return false }
            count += 1
            return true
        }
        guard hasRoom else {
            throw Errors.tooManyDeliveries(Self.mostUnproven)
        }
        defer { unproven.withLock { $0 -= 1 } }
        var request = request
        request.body = try await body()
        return try Delivery(request, signature: webhook.signature, secret: secret, at: now).namingEvent
    }

    private func secret(of webhook: Webhook, named name: String) throws(BusError) -> String {
        do {
            let secret = try webhook.secret()
            // With an empty secret, everybody could sign.
            guard !secret.isEmpty else { throw Errors.emptySecret }
            return secret
        } catch {
            logger.error(
                "a delivery is refused, because the secret of its webhook cannot be used",
                metadata: ["webhook": "\(name)", "error": "\(error)"]
            )
            throw Errors.noSecret
        }
    }

    private func effect(
        of webhook: Webhook,
        _ delivery: Delivery,
        _ request: APIRequest
    ) async throws(BusError) -> APIResponse {
        let command = try webhook.command(for: delivery)
        var asked = Request(command, id: delivery.requestID(at: request.path[1]), as: webhook.principal)
        asked.traceparent = request.fields[.traceparent].flatMap { $0.utf8.count <= 128 ? $0 : nil }
        guard case .accepted(let acceptance) = try await bus.ask(asked) else { throw Errors.unexpectedAnswer }
        var answer = APIResponse(.accepted, ["delivery": .string(delivery.id)])
        if let run = acceptance.run {
            answer = APIResponse(.accepted, ["delivery": .string(delivery.id), "run": .string(run.text)])
            answer.fields[.location] = "/v1/runs/\(run.text)"
        }
        return answer
    }
}

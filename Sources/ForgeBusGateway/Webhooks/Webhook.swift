public import ForgeBusProtocol

/// A path at which a web service reports its events: each delivery becomes a notification or a run.
///
/// The path is `/hooks/` and the webhook's name. The webhook's name and the delivery's id give the request's id, so a
/// delivery that the service sends again does not start a second run while the worker keeps the request. A delivery needs
/// no token; it needs a valid signature.
public struct Webhook: Sendable {
    /// How the service signs its deliveries.
    public enum Signature: String, CaseIterable, Sendable {
        /// `X-Hub-Signature-256`, `X-GitHub-Event` and `X-GitHub-Delivery`.
        case github
        /// `X-Gitlab-Token`, `X-Gitlab-Event`, and `Idempotency-Key` or `X-Gitlab-Event-UUID`.
        case gitlab
        /// `webhook-id`, `webhook-timestamp` and `webhook-signature`, of *Standard Webhooks*; the member `type` of the
        /// body names the event.
        case standard
    }

    /// What a delivery causes.
    public enum Effect: Sendable {
        /// A notification with the body of the delivery; `{event}` in the topic stands for the event.
        case notify(topic: String)
        /// A run with these seeds.
        ///
        /// A text that is only `{event}`, `{delivery}`, `{body}` or `{body.KEY.KEY}` stands for that value; a second
        /// brace at the start of a text is left out.
        case run(pipeline: Name, seeds: JSONObject)
    }

    /// How the service signs its deliveries.
    public var signature: Signature
    /// Reads the secret that both sides share, as the service has it; throws if it cannot.
    public var secret: @Sendable () throws -> String
    /// The principal for which the gateway sends the requests; nil only for a worker without keys.
    public var principal: Name?
    /// The events that have an effect; nil for all.
    public var events: Set<String>?
    /// The conditions on a delivery: for each placeholder, such as `body.action`, the values that it may have.
    ///
    /// A delivery has an effect only if all conditions are met.
    public var conditions: [String: [JSONValue]] = [:]
    /// What a delivery causes.
    public var effect: Effect

    /// The header with the proof that a delivery comes from the service.
    var proof: String {
        switch signature {
        case .github: "X-Hub-Signature-256"
        case .gitlab: "X-Gitlab-Token"
        case .standard: "webhook-signature"
        }
    }

    /// Makes a webhook.
    public init(
        signature: Signature,
        secret: @escaping @Sendable () throws -> String,
        principal: Name? = nil,
        events: Set<String>? = nil,
        conditions: [String: [JSONValue]] = [:],
        effect: Effect
    ) {
        self.conditions = conditions
        self.signature = signature
        self.secret = secret
        self.principal = principal
        self.events = events
        self.effect = effect
    }
}

extension Webhook {
    /// Whether the delivery has an effect.
    func wants(_ delivery: Delivery) -> Bool {
        if let events, !events.contains(delivery.event) { return false }
        return conditions.allSatisfy { place, values in
            Self.value(.string("{\(place)}"), in: delivery).map { values.contains($0) } ?? false
        }
    }

    /// The command that a delivery causes.
    ///
    /// - Throws: `BusError` with code `bad_name` if the topic with the event is not a name, or `bad_body` if the seeds
    ///   need the body and the body is not JSON.
    func command(for delivery: Delivery) throws(BusError) -> Request.Command {
        switch effect {
        case .notify(let topic):
            guard !delivery.event.isEmpty || !topic.contains("{event}") else {
                throw Errors.namelessEvent(signature)
            }
            let name = try Name(topic.replacing("{event}", with: Self.token(delivery.event)))
            return .notify(StateChange(topic: name, body: delivery.body))
        case .run(let pipeline, let seeds):
            // With a body that is not JSON, every part of it is missing, and a default would take its place.
            let needsBody = seeds.entries.contains { $0.value.string?.hasPrefix("{body") == true }
            if delivery.json == nil, needsBody {
                // The flaw that made it nil.
                do throws(BusError) {
                    _ = try JSONValue(parsing: delivery.body[...])
                } catch {
                    throw Errors.unreadableDelivery(error)
                }
            }
            var filled = JSONObject()
            for entry in seeds.entries { filled[entry.key] = Self.value(entry.value, in: delivery) }
            return .run(RunRequest(pipeline: pipeline, seeds: filled, isDetached: true))
        }
    }

    /// The event as one token of a name: every other character becomes `-`, as in `Push-Hook`.
    private static func token(_ event: String) -> String {
        String(
            event.prefix(Name.maximumTokenSizeInBytes).map { character in
                character.isASCII && (character.isLetter || character.isNumber) || character == "_" ? character : "-"
            }
        )
    }

    private static func value(_ value: JSONValue, in delivery: Delivery) -> JSONValue? {
        guard let text = value.string, text.hasPrefix("{") else { return value }
        if text.hasPrefix("{{") { return .string(String(text.dropFirst())) }
        switch text {
        case "{event}": return .string(delivery.event)
        case "{delivery}": return .string(delivery.id)
        default:
            var part = delivery.json
            // Without the braces; the first key is `body` itself.
            for key in text.dropFirst().dropLast().split(separator: ".", omittingEmptySubsequences: false).dropFirst() {
                part = part?.member(String(key))
            }
            return part
        }
    }
}

extension JSONValue {
    /// The member of an object with this key, or the element of an array with this number.
    fileprivate func member(_ key: String) -> JSONValue? {
        if let object { return object[key] }
        guard let array, let index = Int(key), array.indices.contains(index) else { return nil }
        return array[index]
    }
}

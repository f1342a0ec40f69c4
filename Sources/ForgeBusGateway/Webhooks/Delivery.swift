import Crypto
import ForgeBusProtocol
import Foundation
import HTTPTypes

/// A delivery to a webhook, whose signature is valid.
struct Delivery: Sendable {
    /// The id that the service gave the delivery, the same when it sends the delivery again.
    let id: String
    /// The name of the event; empty if the delivery names none.
    let event: String
    let body: [UInt8]
    /// The body as JSON; nil if it is not JSON.
    let json: JSONValue?

    /// Checks the signature of a request, and reads it.
    ///
    /// - Throws: `BusError` with code `bad_signature`, or `bad_id` without the id of the delivery.
    init(_ request: APIRequest, signature: Webhook.Signature, secret: String, at now: Date) throws(BusError) {
        let fields = request.fields
        switch signature {
        case .github:
            try Self.checkGitHub(request, secret)
            (id, event) = (try Self.id(fields, ["X-GitHub-Delivery"]), fields.text("X-GitHub-Event"))
        case .gitlab:
            let token = fields.text("X-Gitlab-Token")
            guard Self.isSame(token, secret) else {
                throw Errors.badSignature("X-Gitlab-Token", isMissing: token.isEmpty)
            }
            id = try Self.id(fields, ["Idempotency-Key", "X-Gitlab-Event-UUID"])
            event = fields.text("X-Gitlab-Event")
        case .standard:
            id = try Self.id(fields, ["webhook-id"])
            try Self.checkStandard(request, id: id, secret, at: now)
            event = ""
        }
        body = request.body
        json = try? JSONValue(parsing: request.body[...])
    }

    private init(id: String, event: String, body: [UInt8], json: JSONValue?) {
        (self.id, self.event, self.body, self.json) = (id, event, body, json)
    }

    /// The delivery with the event that the body names, as *Standard Webhooks* has it.
    var namingEvent: Delivery {
        guard event.isEmpty else { return self }
        return Delivery(id: id, event: json?.object?["type"]?.string ?? "", body: body, json: json)
    }

    /// The id of the request that the delivery causes at a webhook.
    ///
    /// Services send one event with one id to several webhooks, so the webhook's name belongs to the id.
    func requestID(at webhook: String) -> RequestID {
        (try? RequestID(AccessToken.hash(of: "hooks/\(webhook)/\(id)"))) ?? .random()
    }

    private static func id(_ fields: HTTPFields, _ names: [String]) throws(BusError) -> String {
        if let id = names.lazy.map({ fields.text($0) }).first(where: { !$0.isEmpty }) { return id }
        throw Errors.noDeliveryID(names)
    }

    private static func checkGitHub(_ request: APIRequest, _ secret: String) throws(BusError) {
        let name = "X-Hub-Signature-256"
        let text = request.fields.text(name)
        let code = text.hasPrefix("sha256=") ? Data(hexadecimal: text.dropFirst("sha256=".count)) : nil
        let key = SymmetricKey(data: Data(secret.utf8))
        guard let code, HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: request.body, using: key) else {
            throw Errors.badSignature(name, isMissing: text.isEmpty)
        }
    }

    private static func checkStandard(
        _ request: APIRequest,
        id: String,
        _ secret: String,
        at now: Date
    ) throws(BusError) {
        let prefix = "whsec_"
        let text = request.fields.text("webhook-timestamp")
        guard !text.isEmpty else { throw Errors.badSignature("webhook-timestamp", isMissing: true) }
        guard let seconds = Int64(text) else { throw Errors.noTime(text) }
        // With an empty key, everybody could sign.
        guard let key = Data(base64Encoded: String(secret.trimmingPrefix(prefix))), !key.isEmpty else {
            throw Errors.noKey
        }
        // Otherwise, somebody who once saw a delivery could send it again after the worker has forgotten its id.
        let tolerance = Double(StandardWebhook.tolerance.components.seconds)
        guard abs(now.timeIntervalSince1970 - Double(seconds)) <= tolerance else { throw Errors.oldDelivery(text) }
        let expected = StandardWebhook.signature(key: Array(key), id: id, seconds: text, body: request.body)
        let signatures = request.fields.text("webhook-signature").split(separator: " ")
        guard signatures.contains(where: { isSame(String($0), "v1,\(expected)") }) else {
            throw Errors.badSignature("webhook-signature", isMissing: signatures.isEmpty)
        }
    }

    /// Whether two secrets are the same; the time of the comparison tells nothing about them.
    private static func isSame(_ text: String, _ other: String) -> Bool {
        SHA256.hash(data: Data(text.utf8)) == SHA256.hash(data: Data(other.utf8))
    }
}

extension HTTPFields {
    /// The value of a field; empty if it is absent or occurs twice.
    fileprivate func text(_ name: String) -> String {
        let values = HTTPField.Name(name).map { self[values: $0] } ?? []
        return values.count == 1 ? values[0] : ""
    }
}

extension Data {
    /// The bytes of a text of hexadecimal digits; nil for any other text.
    fileprivate init?(hexadecimal text: Substring) {
        guard text.utf8.count.isMultiple(of: 2), text.allSatisfy(\.isHexDigit) else { return nil }
        var bytes = Data()
        var rest = text
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        self = bytes
    }
}

import ForgeBusProtocol
import HTTPTypes

/// An HTTP request to the API, with its whole body.
struct APIRequest: Sendable {
    let method: HTTPRequest.Method
    /// The decoded segments of the path.
    let path: [String]
    /// The decoded names and values of the query, in order.
    var query: [(name: String, value: String)]
    let fields: HTTPFields
    var body: [UInt8]
    var sender: Sender
    /// How long the sender may be waited for.
    var stay = Stay()
    /// The address from which the request comes; empty if it is not known.
    var address = ""

    /// Whether the sender prefers a stream of server-sent events to one answer.
    var wantsEvents: Bool {
        (fields[.accept] ?? "").lowercased().split(separator: ",").contains {
            $0.split(separator: ";").first?.trimmed == "text/event-stream"
        }
    }

    /// The media type of the body, without its parameters and in lower case; nil if the request has none.
    var mediaType: String? {
        fields[.contentType].map { ($0.split(separator: ";").first?.trimmed ?? "").lowercased() }
    }

    /// The request id from the header `Idempotency-Key`; a random one without the header.
    ///
    /// The value of the header may be in quotation marks, as the draft of the IETF wants it.
    ///
    /// - Throws: `BusError` with code `bad_id`.
    func requestID() throws(BusError) -> RequestID {
        guard let text = fields[.idempotencyKey] else { return .random() }
        let isQuoted = text.utf8.count > 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
        return try RequestID(isQuoted ? String(text.dropFirst().dropLast()) : text)
    }

    /// How long the sender wants to wait for a result, from `Prefer: wait=N` (RFC 7240); nil if it does not wait.
    ///
    /// A longer time than ``longestWait`` counts as this time. A malformed preference is ignored, as the RFC wants it.
    var wait: Duration? {
        for field in fields[values: .prefer] {
            for preference in field.split(separator: ",") {
                let parts = preference.split(separator: "=", maxSplits: 1).map(\.trimmed)
                guard parts.count == 2, parts[0].lowercased() == "wait", let seconds = Int64(parts[1]), seconds > 0
                else { continue }
                return min(.seconds(seconds), Self.longestWait)
            }
        }
        return nil
    }

    /// The longest time for which a request waits for a result: five minutes, less than what most proxies allow.
    static let longestWait = Duration.seconds(300)
}

/// Who sent a request.
struct Sender: Hashable, Sendable {
    /// The principal in the worker's access file; nil if the worker does not distinguish its senders.
    var principal: Name?
    /// The rights that the token may use; nil for all rights of the principal.
    var scope: Set<Right>?
}

extension HTTPField.Name {
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
    static let prefer = HTTPField.Name("Prefer")!
    static let preferenceApplied = HTTPField.Name("Preference-Applied")!
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
    static let link = HTTPField.Name("Link")!
}

extension Substring {
    /// The text without spaces and tabs at both ends.
    var trimmed: String {
        let kept = drop { $0 == " " || $0 == "\t" }
        return String(kept.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}

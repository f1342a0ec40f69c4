import ForgeBusProtocol

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads CloudEvents 1.0: the data of an event becomes the body of a notification.
enum CloudEvent {
    /// The body of the notification: the event's data, or the whole body of a request without an event.
    ///
    /// An event in binary mode has its data in the body. An event in structured mode is one JSON object.
    ///
    /// - Throws: `BusError` with code `unsupported_type` for a batch of events, or `bad_body` for a malformed event.
    static func data(of request: APIRequest) throws(BusError) -> [UInt8] {
        guard let type = request.mediaType, type.hasPrefix("application/cloudevents") else { return request.body }
        guard type == "application/cloudevents+json" else {
            let isBatch = type.hasPrefix("application/cloudevents-batch")
            let form = isBatch ? "each event of the batch in a request of its own, as a body" : "a body"
            throw .unsupportedType(type, expected: "application/cloudevents+json", form)
        }
        guard case .object(let event) = try JSONValue(parsingShown: request.body[...]) else {
            throw malformed("it is not a JSON object")
        }
        guard event["specversion"]?.string == "1.0" else {
            guard let found = event["specversion"] else { throw malformed("its `specversion` is missing") }
            throw malformed("its `specversion` is \(Printable.cut(found.description, to: 80)), not \"1.0\"")
        }
        for name in ["id", "source", "type"] where event[name]?.string?.isEmpty != false {
            throw malformed("its `\(name)` is missing or empty, or is not a string")
        }
        switch (event["data"], event["data_base64"]) {
        case (nil, nil): return []
        case (let data?, nil): return data.encoded
        case (nil, let text?):
            guard let text = text.string, let data = Data(base64Encoded: text) else {
                throw malformed("its `data_base64` is not base64")
            }
            return Array(data)
        case (_?, _?): throw malformed("it has both `data` and `data_base64`")
        }
    }

    private static func malformed(_ why: String) -> BusError {
        BusError(
            .badBody,
            "The body is not a CloudEvent: \(why).",
            next:
                "Send a JSON object with `specversion` \"1.0\", `id`, `source`, `type`, and `data` or `data_base64`; or send "
                + "only the data, with its own Content-Type."
        )
    }
}

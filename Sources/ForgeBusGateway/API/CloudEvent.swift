import ForgeBusProtocol
import HTTPTypes

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
        guard let type = request.mediaType, type.hasPrefix("application/cloudevents") else {
            try checkBinary(request.fields)
            return request.body
        }
        guard type == "application/cloudevents+json" else {
            let isBatch = type.hasPrefix("application/cloudevents-batch")
            let form = isBatch ? "each event of the batch in a request of its own, as a body" : "a body"
            throw Errors.unsupportedType(type, expected: "application/cloudevents+json", form)
        }
        guard case .object(let event) = try JSONValue(parsingShown: request.body[...]) else {
            throw Errors.malformedEvent("it is not a JSON object")
        }
        guard event["specversion"]?.string == "1.0" else {
            guard let found = event["specversion"] else { throw Errors.malformedEvent("its `specversion` is missing") }
            throw Errors.malformedEvent("its `specversion` is \(Printable.cut(found.description, to: 80)), not \"1.0\"")
        }
        for name in ["id", "source", "type"] where event[name]?.string?.isEmpty != false {
            throw Errors.malformedEvent("its `\(name)` is missing or empty, or is not a string")
        }
        switch (event["data"], event["data_base64"]) {
        case (nil, nil): return []
        case (let data?, nil): return data.encoded
        case (nil, let text?):
            guard let text = text.string, let data = Data(base64Encoded: text) else {
                throw Errors.malformedEvent("its `data_base64` is not base64")
            }
            return Array(data)
        case (_?, _?): throw Errors.malformedEvent("it has both `data` and `data_base64`")
        }
    }

    /// Checks the attributes of an event in binary mode, which are header fields; a request without them is no event.
    private static func checkBinary(_ fields: HTTPFields) throws(BusError) {
        guard fields.contains(where: { $0.name.canonicalName.hasPrefix("ce-") }) else { return }
        func attribute(_ name: String) -> String {
            let values = HTTPField.Name("ce-\(name)").map { fields[values: $0] } ?? []
            return values.count == 1 ? values[0] : ""
        }
        let version = attribute("specversion")
        guard version == "1.0" else {
            let missing = "is missing, empty or repeated"
            let found = version.isEmpty ? missing : "is \(Printable.quoted(version)), not \"1.0\""
            throw Errors.malformedEvent(header: "ce-specversion", found)
        }
        for name in ["id", "source", "type"] where attribute(name).isEmpty {
            throw Errors.malformedEvent(header: "ce-\(name)", "is missing, empty or repeated")
        }
    }
}

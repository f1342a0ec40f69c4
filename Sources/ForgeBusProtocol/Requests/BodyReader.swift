/// Reads the body of one request.
package struct BodyReader {
    /// The word of the request.
    let word: String
    /// The body frame.
    let frame: ArraySlice<UInt8>

    /// The body as bytes, at most `maximum` of them.
    func bytes(atMost maximum: Int) throws(BusError) -> [UInt8] {
        guard frame.count <= maximum else {
            throw .tooLarge("The body has \(frame.count) bytes", limit: maximum)
        }
        return Array(frame)
    }

    /// The body as a JSON object, empty for an empty frame; errors call the object `content`.
    func object(of content: String) throws(BusError) -> JSONObject {
        guard !frame.isEmpty else { return JSONObject() }
        guard case .object(let object) = try JSONValue(parsing: frame) else {
            throw BusError(
                .badBody,
                "The body of \(word) is not a JSON object.",
                next: "Send \(content) as one JSON object, or an empty frame for none."
            )
        }
        return object
    }

    /// The bytes of the body, which must be JSON or empty, at most ``WireLimits/decisionSizeInBytes``.
    func json() throws(BusError) -> [UInt8] {
        let bytes = try bytes(atMost: WireLimits.decisionSizeInBytes)
        if !bytes.isEmpty { _ = try JSONValue(parsing: frame) }
        return bytes
    }

    /// The body as a reason of at most ``WireLimits/decisionSizeInBytes``; empty for an empty frame.
    func reason() throws(BusError) -> String {
        guard try !bytes(atMost: WireLimits.decisionSizeInBytes).isEmpty else { return "" }
        guard case .string(let reason) = try JSONValue(parsing: frame) else {
            throw BusError(
                .badBody,
                "The body of \(word) is not a JSON string.",
                next: "Send the reason as a JSON string, or an empty frame for none."
            )
        }
        return reason
    }
}

// Writing bodies and attributes.
extension JSONObject {
    /// The object as a body; an object without entries is an empty body.
    var body: [UInt8] { isEmpty ? [] : JSONValue.object(self).encoded }
}

extension String {
    /// The reason as a body; an empty reason is an empty body.
    var reasonBody: [UInt8] { isEmpty ? [] : JSONValue.string(self).encoded }
}

extension Duration {
    /// The time in milliseconds as JSON.
    var json: JSONValue { .integer(milliseconds) }
}

extension Durability {
    /// The durability's word as JSON.
    var json: JSONValue { .string(rawValue) }
}

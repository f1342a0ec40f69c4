/// Reads the body of one request.
package struct BodyReader {
    /// The word of the request.
    let word: String
    /// The body frame.
    let frame: ArraySlice<UInt8>

    /// The body, which may have any content; throws `too_large` if it has more than `maximum` bytes.
    func bytes(atMost maximum: Int) throws(BusError) -> [UInt8] {
        guard frame.count <= maximum else {
            throw Errors.tooLarge("The body of \(word) has \(frame.count) bytes", limit: maximum)
        }
        return Array(frame)
    }

    /// The body as a JSON object; empty for an empty frame.
    ///
    /// The text `content` says in an error what the object has to contain.
    func object(of content: String) throws(BusError) -> JSONObject {
        guard !frame.isEmpty else { return JSONObject() }
        let value = try JSONValue(parsing: frame, as: "The body of \(word)")
        guard case .object(let object) = value else {
            throw Errors.noObject(in: word, value, content: content)
        }
        return object
    }

    /// The bytes of the body, which must be JSON or empty; at most ``WireLimits/decisionSizeInBytes``.
    func json() throws(BusError) -> [UInt8] {
        let bytes = try bytes(atMost: WireLimits.decisionSizeInBytes)
        if !bytes.isEmpty { _ = try JSONValue(parsing: frame, as: "The body of \(word)") }
        return bytes
    }

    /// The reason in the body, a JSON string in a frame of at most `maximum` bytes; empty for an empty frame.
    func reason(atMost maximum: Int = WireLimits.decisionSizeInBytes) throws(BusError) -> String {
        guard frame.count <= maximum else {
            throw Errors.longReason(of: word, sizeInBytes: frame.count, limit: maximum)
        }
        guard !frame.isEmpty else { return "" }
        let value = try JSONValue(parsing: frame, as: "The reason of \(word)")
        guard case .string(let reason) = value else {
            throw Errors.noReason(of: word, value)
        }
        return reason
    }
}

// These extensions write bodies and attributes.
extension JSONObject {
    /// The object as a body; empty if the object has no entries.
    var body: [UInt8] { isEmpty ? [] : JSONValue.object(self).encoded }
}

extension String {
    /// The reason as a body; empty if the reason is empty.
    var reasonBody: [UInt8] { isEmpty ? [] : JSONValue.string(self).encoded }
}

extension Duration {
    /// The time in milliseconds, rounded up, so that a part of a millisecond does not become zero.
    var json: JSONValue {
        let whole = milliseconds
        return .integer(self > .milliseconds(whole) && whole < .max ? whole + 1 : whole)
    }
}

extension Durability {
    /// The word of the durability as a JSON string.
    var json: JSONValue { .string(rawValue) }
}

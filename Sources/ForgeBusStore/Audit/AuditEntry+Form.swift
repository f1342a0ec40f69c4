import ForgeBusProtocol

/// Writes audit entries.
///
/// An entry is text, unlike a record, so that anybody can check a chain with only SHA-256. A program does not decode
/// old entries to continue or check the chain, so it can also continue a chain with entries of another form.
extension AuditEntry {
    /// The number of the form that this program writes.
    private static let form: Int64 = 1

    /// Returns the entry as one JSON object without spaces, which begins with the form and the number of the entry.
    func encoded(numbered number: Int64) -> [UInt8] {
        var members: [JSONObject.Entry] = []
        members.reserveCapacity(9)
        func add(_ key: String, _ value: JSONValue) { members.append(JSONObject.Entry(key: key, value: value)) }
        add("form", .integer(Self.form))
        add("number", .integer(number))
        add("at_ms", .integer(unixMilliseconds))
        add("event", .string(event))
        if let principal { add("principal", .string(principal)) }
        if let key { add("key", .string(key)) }
        if let request { add("request", .string(request.text)) }
        if let allowedBy { add("allowed_by", .string(allowedBy)) }
        add("facts", .object(facts))
        return JSONValue.object(JSONObject(unique: members)).encoded
    }
}

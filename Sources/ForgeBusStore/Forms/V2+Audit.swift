import ForgeBusProtocol

/// Writes audit entries in form 2, the newest form of an entry: form 3 of a record changed no entry.
///
/// An entry is text, unlike a record, so that anybody can check a chain with SHA-256 alone. No program needs to read an
/// entry again to continue or check the chain, so a newer form is no obstacle.
extension AuditEntry {
    /// The entry as one JSON object without spaces, which begins with the number of its form and its own number.
    func encoded(numbered number: Int64) -> [UInt8] {
        var members: [JSONObject.Entry] = []
        members.reserveCapacity(9)
        func add(_ key: String, _ value: JSONValue) { members.append(JSONObject.Entry(key: key, value: value)) }
        add("form", .integer(Int64(V2.number)))
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

import ForgeBusProtocol

/// Writes audit entries in form 2, which is the newest form of an entry: the later forms changed only records.
///
/// An entry is text, unlike a record, so that anybody can check a chain with only SHA-256. A program does not decode
/// old entries to continue or check the chain, so it can also continue a chain with entries of a newer form.
extension AuditEntry {
    /// Returns the entry as one JSON object without spaces, which begins with the form and the number of the entry.
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

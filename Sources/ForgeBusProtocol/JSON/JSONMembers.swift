/// Receives the members of one JSON object, one after another.
///
/// ``JSONWriter`` writes the members as bytes, and ``JSONObject`` keeps them as values. With this protocol, one method
/// writes an answer's content in both forms.
protocol JSONMembers {
    mutating func add(_ entry: JSONObject.Entry)
    mutating func add(_ key: StaticString, _ value: JSONValue)
    mutating func add(_ key: StaticString, _ value: String)
    mutating func add(_ key: StaticString, _ value: Int64)
    mutating func add(_ key: StaticString, _ object: JSONObject)
    /// Adds an array of objects; `write` adds the members of each object.
    mutating func add<Element>(_ key: StaticString, objects: [Element], _ write: (Element, inout Self) -> Void)
}

extension JSONWriter: JSONMembers {}

extension JSONObject: JSONMembers {
    /// Makes an object; `write` adds its members.
    init(_ write: (inout JSONObject) -> Void) {
        self.init()
        write(&self)
    }

    mutating func add(_ entry: Entry) { self[entry.key] = entry.value }
    mutating func add(_ key: StaticString, _ value: JSONValue) { self[key.description] = value }
    mutating func add(_ key: StaticString, _ value: String) { add(key, .string(value)) }
    mutating func add(_ key: StaticString, _ value: Int64) { add(key, .integer(value)) }
    mutating func add(_ key: StaticString, _ object: JSONObject) { add(key, .object(object)) }

    mutating func add<Element>(_ key: StaticString, objects: [Element], _ write: (Element, inout Self) -> Void) {
        add(key, .array(objects.map { element in .object(JSONObject { write(element, &$0) }) }))
    }
}

/// The fields of one object of an answer; each method reads a field of one type.
struct AnswerFields {
    let object: JSONObject
    private let place: String

    init(_ value: JSONValue, of place: String) throws(BusError) {
        guard case .object(let object) = value else { throw Errors.badAnswer("\(place) is not an object") }
        self.object = object
        self.place = place
    }

    /// Reads the attributes of an answer; an empty frame counts as an empty object.
    init(attributes frame: ArraySlice<UInt8>, of answer: String) throws(BusError) {
        try self.init(
            parsing: frame.isEmpty ? [0x7B, 0x7D] : frame,
            of: "the attributes frame of the answer \(answer)"
        )
    }

    /// Reads the body of an answer, which must not be empty.
    init(body frame: ArraySlice<UInt8>, of answer: String) throws(BusError) {
        try self.init(parsing: frame, of: "the body of the answer \(answer)")
    }

    private init(parsing frame: ArraySlice<UInt8>, of place: String) throws(BusError) {
        let value: JSONValue
        do throws(JSONParser.Flaw) { value = try JSONParser.parse(frame) } catch {
            throw Errors.badAnswer("\(place) is not a JSON object: \(error.message), at byte \(error.offset)")
        }
        guard case .object(let object) = value else {
            throw Errors.badAnswer("\(place) is not a JSON object: it is a value of type \(value.typeName)")
        }
        self.object = object
        self.place = place
    }

    func text(_ key: String) throws(BusError) -> String {
        guard let text = object[key]?.string else { throw missing(key, "string") }
        return text
    }

    func integer(_ key: String) throws(BusError) -> Int64 {
        guard let value = object[key]?.integer else { throw missing(key, "integer") }
        return value
    }

    func milliseconds(_ key: String) throws(BusError) -> Duration { .milliseconds(try integer(key)) }

    /// The length of a time that is over; a negative one is an error.
    func pastMilliseconds(_ key: String) throws(BusError) -> Duration {
        let value = try integer(key)
        guard value >= 0 else { throw missing(key, "integer from 0 on") }
        return .milliseconds(value)
    }

    func name(_ key: String) throws(BusError) -> Name {
        let text = try text(key)
        if let flaw = Name.flaw(in: text.utf8, atMost: Name.maximumSizeInBytes) {
            throw Errors.badAnswer("\(place) has under the key `\(key)` no name but \(Printable.quoted(text)): \(flaw)")
        }
        return Name(unchecked: text)
    }

    func choice<Choice: RawRepresentable>(_ key: String) throws(BusError) -> Choice where Choice.RawValue == String {
        let word = try text(key)
        guard let choice = Choice(rawValue: word) else {
            throw Errors.badAnswer("\(place) has the unknown word \(Printable.quoted(word)) under the key `\(key)`")
        }
        return choice
    }

    func elements(_ key: String) throws(BusError) -> [JSONValue] {
        guard let values = object[key]?.array else { throw missing(key, "array") }
        return values
    }

    func integers(_ key: String) throws(BusError) -> [Int] {
        var integers: [Int] = []
        for value in try elements(key) {
            guard let integer = value.integer else { throw missing(key, "array of integers") }
            integers.append(Int(integer))
        }
        return integers
    }

    func integersByName(_ key: String) throws(BusError) -> [String: Int] {
        guard let object = object[key]?.object else { throw missing(key, "object") }
        var integers: [String: Int] = [:]
        for entry in object.entries {
            guard let integer = entry.value.integer else { throw missing(key, "object of integers") }
            integers[entry.key] = Int(integer)
        }
        return integers
    }

    /// The strings of an array; empty if the array is absent.
    func texts(_ key: String) throws(BusError) -> [String] {
        var texts: [String] = []
        for value in object[key]?.array ?? [] {
            guard let text = value.string else { throw missing(key, "array of strings") }
            texts.append(text)
        }
        return texts
    }

    /// All members except `replayed` and those whose keys are in `own`.
    func details(beside own: [String]) -> JSONObject {
        var details = JSONObject()
        for entry in object.entries where !own.contains(entry.key) && entry.key != "replayed" {
            details[entry.key] = entry.value
        }
        return details
    }

    private func missing(_ key: String, _ type: String) -> BusError {
        Errors.badAnswer("\(place) has no \(type) under the key `\(key)`")
    }
}

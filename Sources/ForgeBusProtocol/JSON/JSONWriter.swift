/// Appends JSON to bytes, without white space and with the keys in the given order.
///
/// The same value always becomes the same bytes.
struct JSONWriter {
    private(set) var bytes: [UInt8]
    /// Whether the innermost open object has no member yet.
    private var isFirstMember = true

    init(into bytes: consuming [UInt8] = []) { self.bytes = bytes }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: write(raw: "null")
        case .bool(let value): write(raw: value ? "true" : "false")
        case .integer(let value): write(value)
        case .number(let value): bytes.append(contentsOf: "\(value)".utf8)
        case .string(let text): write(text)
        case .array(let values): write(values)
        case .object(let object): write(object)
        }
    }

    mutating func write(_ object: JSONObject) {
        openObject()
        for index in object.entries.indices { add(object.entries[index]) }
        closeObject()
    }

    /// Begins an object; the methods `add` give members to the object until ``closeObject()``.
    mutating func openObject() {
        bytes.append(UInt8(ascii: "{"))
        isFirstMember = true
    }

    mutating func closeObject() {
        bytes.append(UInt8(ascii: "}"))
        isFirstMember = false
    }

    /// Adds a member with any key.
    mutating func add(_ entry: JSONObject.Entry) {
        separate()
        write(entry.key)
        bytes.append(UInt8(ascii: ":"))
        write(entry.value)
        isFirstMember = false
    }

    mutating func add(_ key: StaticString, _ value: JSONValue) {
        writeKey(key)
        write(value)
        isFirstMember = false
    }

    mutating func add(_ key: StaticString, _ value: String) {
        writeKey(key)
        write(value)
    }

    mutating func add(_ key: StaticString, _ value: Int64) {
        writeKey(key)
        write(value)
    }

    mutating func add(_ key: StaticString, _ object: JSONObject) {
        writeKey(key)
        write(object)
    }

    /// Adds an array of objects; `write` adds the members of each object.
    mutating func add<Element>(_ key: StaticString, objects: [Element], _ write: (Element, inout JSONWriter) -> Void) {
        writeKey(key)
        self.write(objects: objects, write)
    }

    /// Writes an array of objects; `write` adds the members of each object.
    mutating func write<Element>(objects: [Element], _ write: (Element, inout JSONWriter) -> Void) {
        bytes.append(UInt8(ascii: "["))
        for index in objects.indices {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            openObject()
            write(objects[index], &self)
            closeObject()
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes a key of the protocol, which needs no escaping.
    private mutating func writeKey(_ key: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        write(raw: key)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func separate() {
        if !isFirstMember { bytes.append(UInt8(ascii: ",")) }
        isFirstMember = false
    }

    private mutating func write(_ values: [JSONValue]) {
        bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(value)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    mutating func write(_ value: Int64) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        // The number has at most 19 digits; the loop writes the last digit first.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 19) { digits in
            var first = digits.count
            repeat {
                first -= 1
                digits[first] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[first...]))
        }
    }

    mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        // Most strings need no escape, so the writer copies them whole.
        let isPlain = text.utf8.withContiguousStorageIfAvailable { utf8 in
            guard Self.isPlain(UnsafeRawBufferPointer(utf8)) else { return false }
            bytes.append(contentsOf: utf8)
            return true
        }
        if isPlain != true { writeEscaped(text) }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isPlain(_ utf8: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset + ByteWord.size <= utf8.count {
            let word = ByteWord(utf8, at: offset)
            guard word.plainPrefix == ByteWord.size, !word.contains(0x7F) else { return false }
            offset += ByteWord.size
        }
        return utf8[offset...].allSatisfy {
            $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 != 0x7F
        }
    }

    private mutating func writeEscaped(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): write(raw: "\\\"")
            case UInt8(ascii: "\\"): write(raw: "\\\\")
            case 0x0A: write(raw: "\\n")
            case 0x0D: write(raw: "\\r")
            case 0x09: write(raw: "\\t")
            case 0..<0x20, 0x7F:
                write(raw: "\\u00")
                bytes.append(Hexadecimal.digit(byte >> 4))
                bytes.append(Hexadecimal.digit(byte & 0xF))
            default: bytes.append(byte)
            }
        }
    }

    private mutating func write(raw text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

extension JSONValue {
    /// Parses bytes that contain exactly one value.
    ///
    /// - Throws: ``BusError`` with code `bad_body`; the message names the flaw and its offset in bytes.
    public init(parsing bytes: ArraySlice<UInt8>) throws(BusError) {
        try self.init(parsing: bytes) { _ in "" }
    }

    /// Parses bytes like ``init(parsing:)``; the error's message also shows the text around the flaw.
    package init(parsingShown bytes: ArraySlice<UInt8>) throws(BusError) {
        try self.init(parsing: bytes) { offset in
            let near = bytes.dropFirst(max(0, offset - 20)).prefix(60)
            // As it is, because escapes of its quotes and backslashes would look like escapes that were sent. Control
            // characters become their pictures, such as ␊.
            let scalars = String(decoding: near, as: UTF8.self).unicodeScalars.map { scalar in
                scalar.value < 0x20 ? Unicode.Scalar(0x2400 + scalar.value) ?? scalar : scalar
            }
            return ", near `\(Printable.escaped(String(String.UnicodeScalarView(scalars))))`"
        }
    }

    /// Parses bytes like ``init(parsing:)``; the error's message calls them `name`.
    init(parsing bytes: ArraySlice<UInt8>, as name: String) throws(BusError) {
        try self.init(parsing: bytes, as: name) { _ in "" }
    }

    private init(
        parsing bytes: ArraySlice<UInt8>,
        as name: String = "The text",
        shown: (Int) -> String
    ) throws(BusError) {
        do throws(JSONParser.Flaw) {
            self = try JSONParser.parse(bytes)
        } catch {
            throw Errors.noJSON(name, error, shown: shown(error.offset))
        }
    }

    /// The value as JSON without white space.
    public var encoded: [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }
}

extension JSONObject: CustomStringConvertible {
    /// The object as JSON without white space.
    public var description: String { JSONValue.object(self).description }
}

extension JSONValue: CustomStringConvertible {
    /// The value as JSON without white space.
    public var description: String { String(decoding: encoded, as: UTF8.self) }
}

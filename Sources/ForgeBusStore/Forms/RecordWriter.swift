import ForgeBusProtocol

/// Encodes values one after the other.
///
/// An integer is written as LEB128; a signed integer is first mapped by zig-zag. Bytes, texts and arrays begin with
/// their length. This encoding never changes, because the details of journal entries use it without a form.
struct RecordWriter {
    private(set) var bytes: [UInt8]

    /// Makes a writer that begins with `bytes`.
    ///
    /// - Parameter bytes: The bytes before the first value.
    init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    mutating func put(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func put(_ value: Int64) { put(UInt64(bitPattern: value << 1 ^ value >> 63)) }

    mutating func put(_ value: Int) { put(Int64(value)) }

    mutating func put(_ value: Bool) { bytes.append(value ? 1 : 0) }

    mutating func put(_ value: Double) { putFixed(value.bitPattern) }

    mutating func put(_ data: [UInt8]) {
        put(UInt64(data.count))
        bytes.append(contentsOf: data)
    }

    mutating func put(_ text: String) {
        put(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func put(_ name: Name) { put(name.text) }

    mutating func put(_ id: RequestID) { put(id.text) }

    mutating func put(_ duration: Duration) {
        put(duration.components.seconds)
        put(duration.components.attoseconds)
    }

    mutating func put(_ fingerprint: Fingerprint) {
        putFixed(fingerprint.words.0)
        putFixed(fingerprint.words.1)
        putFixed(fingerprint.words.2)
        putFixed(fingerprint.words.3)
    }

    mutating func put<T>(_ value: T?, _ write: (inout RecordWriter, T) -> Void) {
        put(value != nil)
        if let value { write(&self, value) }
    }

    mutating func put<T>(_ values: [T], _ write: (inout RecordWriter, T) -> Void) {
        put(UInt64(values.count))
        for value in values { write(&self, value) }
    }

    mutating func put(_ object: JSONObject) {
        put(object.entries) { writer, entry in
            writer.put(entry.key)
            writer.put(entry.value)
        }
    }

    mutating func put(_ value: JSONValue) {
        switch value {
        case .null: putTag(JSONTag.null)
        case .bool(let value): putTag(value ? JSONTag.true : JSONTag.false)
        case .integer(let value):
            putTag(JSONTag.integer)
            put(value)
        case .number(let value):
            putTag(JSONTag.number)
            put(value)
        case .string(let text):
            putTag(JSONTag.string)
            put(text)
        case .array(let values):
            putTag(JSONTag.array)
            put(values) { $0.put($1) }
        case .object(let object):
            putTag(JSONTag.object)
            put(object)
        }
    }

    /// The first byte of an encoded JSON value, which shows the kind of the value.
    enum JSONTag: UInt8 {
        case null = 0, `false` = 1, `true` = 2, integer = 3, number = 4, string = 5, array = 6, object = 7
    }

    /// Writes the byte for a case of an enumeration.
    mutating func putTag<Tag: RawRepresentable<UInt8>>(_ tag: Tag) { bytes.append(tag.rawValue) }

    private mutating func putFixed(_ value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

import ForgeBusProtocol

/// Reads the values that a ``RecordWriter`` wrote; throws an error for any other bytes.
struct RecordReader {
    /// The error for bytes that no ``RecordWriter`` wrote.
    struct Flaw: Error {}

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Throws ``Flaw`` if unread bytes are left.
    func end() throws(Flaw) {
        guard rest.isEmpty else { throw Flaw() }
    }

    private mutating func byte() throws(Flaw) -> UInt8 {
        guard let byte = rest.popFirst() else { throw Flaw() }
        return byte
    }

    /// Reads a case of an enumeration, as ``RecordWriter/putTag(_:)`` wrote it.
    mutating func tag<Tag: RawRepresentable<UInt8>>(_: Tag.Type) throws(Flaw) -> Tag {
        guard let tag = Tag(rawValue: try byte()) else { throw Flaw() }
        return tag
    }

    mutating func unsigned() throws(Flaw) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte()
            guard shift < 63 || byte <= 1 else { throw Flaw() }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
    }

    mutating func integer() throws(Flaw) -> Int64 {
        let value = try unsigned()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    mutating func int() throws(Flaw) -> Int {
        guard let value = Int(exactly: try integer()) else { throw Flaw() }
        return value
    }

    mutating func bool() throws(Flaw) -> Bool {
        switch try byte() {
        case 0: return false
        case 1: return true
        default: throw Flaw()
        }
    }

    mutating func double() throws(Flaw) -> Double { Double(bitPattern: try fixed()) }

    mutating func data() throws(Flaw) -> [UInt8] { Array(try slice()) }

    mutating func text() throws(Flaw) -> String {
        guard let text = String(validating: try slice(), as: UTF8.self) else { throw Flaw() }
        return text
    }

    mutating func name() throws(Flaw) -> Name {
        guard let name = try? Name(bytes: try slice()) else { throw Flaw() }
        return name
    }

    mutating func requestID() throws(Flaw) -> RequestID {
        guard let id = try? RequestID(bytes: try slice()) else { throw Flaw() }
        return id
    }

    mutating func duration() throws(Flaw) -> Duration {
        let seconds = try integer()
        return Duration(secondsComponent: seconds, attosecondsComponent: try integer())
    }

    mutating func fingerprint() throws(Flaw) -> Fingerprint {
        Fingerprint(try fixed(), try fixed(), try fixed(), try fixed())
    }

    mutating func optional<T>(_ read: (inout RecordReader) throws(Flaw) -> T) throws(Flaw) -> T? {
        try bool() ? try read(&self) : nil
    }

    mutating func optionalInteger() throws(Flaw) -> Int64? { try bool() ? try integer() : nil }

    mutating func optionalText() throws(Flaw) -> String? { try bool() ? try text() : nil }

    mutating func texts() throws(Flaw) -> [String] { try array { reader throws(Flaw) in try reader.text() } }

    mutating func array<T>(_ read: (inout RecordReader) throws(Flaw) -> T) throws(Flaw) -> [T] {
        let count = try unsigned()
        // Each element has at least one byte. This check keeps a damaged count from allocating memory.
        guard count <= UInt64(rest.count) else { throw Flaw() }
        var values: [T] = []
        values.reserveCapacity(Int(count))
        for _ in 0..<count { values.append(try read(&self)) }
        return values
    }

    mutating func object() throws(Flaw) -> JSONObject { try object(depth: 0) }

    /// The greatest depth of nested JSON values to read; no written record reaches it.
    private static let maximumDepth = 1024

    private mutating func object(depth: Int) throws(Flaw) -> JSONObject {
        let entries = try array { reader throws(Flaw) in
            JSONObject.Entry(key: try reader.text(), value: try reader.json(depth: depth))
        }
        return JSONObject(unique: entries)
    }

    private mutating func json(depth: Int) throws(Flaw) -> JSONValue {
        guard depth < Self.maximumDepth else { throw Flaw() }
        switch try tag(RecordWriter.JSONTag.self) {
        case .null: return .null
        case .false: return .bool(false)
        case .true: return .bool(true)
        case .integer: return .integer(try integer())
        case .number: return .number(try double())
        case .string: return .string(try text())
        case .array: return .array(try array { reader throws(Flaw) in try reader.json(depth: depth + 1) })
        case .object: return .object(try object(depth: depth + 1))
        }
    }

    private mutating func slice() throws(Flaw) -> ArraySlice<UInt8> {
        let count = try unsigned()
        guard count <= UInt64(rest.count) else { throw Flaw() }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    private mutating func fixed() throws(Flaw) -> UInt64 {
        guard rest.count >= 8 else { throw Flaw() }
        var value: UInt64 = 0
        for (index, byte) in rest.prefix(8).enumerated() { value |= UInt64(byte) << (8 * UInt64(index)) }
        rest = rest.dropFirst(8)
        return value
    }
}

/// With this conformance, any encoder can write a JSON value, and any decoder can read a JSON value.
extension JSONValue: Codable {
    /// Writes the value in the encoder's own form for an object, an array, a string and so on.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let object): try object.encode(to: encoder)
        case .array(let values): try values.encode(to: encoder)
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value): try value.encode(to: encoder)
        case .integer(let value): try value.encode(to: encoder)
        case .number(let value): try value.encode(to: encoder)
        case .string(let text): try text.encode(to: encoder)
        }
    }

    /// Reads a value of any JSON type.
    public init(from decoder: any Decoder) throws {
        if let object = try? JSONObject(from: decoder) {
            self = .object(object)
        } else if let values = try? [JSONValue](from: decoder) {
            self = .array(values)
        } else {
            self = try Self.single(in: decoder.singleValueContainer())
        }
    }

    private static func single(in container: any SingleValueDecodingContainer) throws -> JSONValue {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int64.self) { return .integer(value) }
        if let value = try? container.decode(Double.self) { return .number(value) }
        return .string(try container.decode(String.self))
    }
}

/// With this conformance, any encoder can write an object, and any decoder can read an object.
///
/// The encoder may change the order of the entries; reading sorts them by their keys.
extension JSONObject: Codable {
    /// Writes each entry under its key.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: EntryKey.self)
        for entry in entries { try container.encode(entry.value, forKey: EntryKey(entry.key)) }
    }

    /// Reads all entries and sorts them by their keys, because decoders do not keep an order.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: EntryKey.self)
        self.init()
        for key in container.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
            self[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
        }
    }

    private struct EntryKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ text: String) { stringValue = text }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }
}

import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Converts a context's values to their stored form and back.
///
/// | value | stored as |
/// |---|---|
/// | `String`, `Int`, `Bool`, finite `Double`, `JSONValue` | its JSON, with the name of its Swift type |
/// | `[any Sendable]` and `[String: any Sendable]`, if they have a JSON form | its JSON |
/// | a value restored from an earlier worker, and not replaced since | the stored form that it has already |
/// | another `Codable` value whose type is not private to a file | its JSON by `JSONEncoder`, with the type's name |
/// | any other | nothing; the run begins again after a crash |
extension RunValues {
    /// Takes the values that were set or removed in the context since the last call.
    init(changedIn context: PipelineContext) {
        for (key, value) in context.takeChanges() {
            guard let value else {
                values.append(ProgressRecord.Value(key: key, type: "", json: []))
                continue
            }
            guard let kept = ProgressRecord.Value(key: key, value) else {
                unkept = key
                continue
            }
            values.append(kept)
        }
    }
}

extension ProgressRecord.Value {
    /// The stored type name of `[any Sendable]` and `[String: any Sendable]`.
    private static let untyped = "JSON"
    private static let anyJSON = RestoredValue.name(of: JSONValue.self)

    /// Converts the value to its stored form; nil if the value has none.
    fileprivate init?(key: String, _ value: any Sendable) {
        switch value {
        case let value as String: self.init(key: key, .string, .string(value))
        case let value as Int: self.init(key: key, .int, .integer(Int64(value)))
        case let value as Bool: self.init(key: key, .bool, .bool(value))
        case let value as Double where value.isFinite: self.init(key: key, .double, .number(value))
        case let value as JSONValue: self.init(key: key, type: Self.anyJSON, json: value.encoded)
        case let value as RestoredValue: self.init(key: key, type: value.typeName, json: value.encoded)
        case _ where Swift.type(of: value) == [any Sendable].self,
            _ where Swift.type(of: value) == [String: any Sendable].self:
            guard let json = JSONValue(swiftValue: value) else { return nil }
            self.init(key: key, type: Self.untyped, json: json.encoded)
        default: self.init(key: key, codable: value)
        }
    }

    private init(key: String, _ type: PlainType, _ json: JSONValue) {
        self.init(key: key, type: type.rawValue, json: json.encoded)
    }

    private init?(key: String, codable value: any Sendable) {
        let name = RestoredValue.name(of: Swift.type(of: value))
        // A type that is private to its file has no name that outlives the process.
        guard value is any Decodable, let value = value as? any Encodable, !name.contains("unknown context"),
            let json = try? JSONEncoder().encode(value)
        else { return nil }
        self.init(key: key, type: name, json: Array(json))
    }

    /// The value for the context; nil if the value was removed or cannot be decoded.
    var restored: (any Sendable)? {
        if type.isEmpty { return nil }
        if let plain = PlainType(rawValue: type) { return plain.value(Data(json)) }
        if type == Self.anyJSON { return JSONValue(kept: json) }
        if type == Self.untyped { return JSONValue(kept: json)?.swiftValue }
        return RestoredValue(typeName: type, encoded: json) { type, bytes in
            try? JSONDecoder().decode(type, from: Data(bytes))
        }
    }
}

extension JSONValue {
    /// Parses stored JSON.
    fileprivate init?(kept json: [UInt8]) {
        // The parser of messages distinguishes 1.0 from 1, so it is tried first. But it refuses some values that an
        // action may set, and the decoder reads those.
        let value =
            (try? JSONValue(parsing: json[...]))
            ?? (try? JSONDecoder().decode(UntypedValue.self, from: Data(json)))?.value
        guard let value else { return nil }
        self = value
    }
}

/// The types of most values, with their stored names as raw values.
private enum PlainType: String {
    case string = "Swift.String"
    case int = "Swift.Int"
    case bool = "Swift.Bool"
    case double = "Swift.Double"

    /// Decodes a value of this type; nil if the JSON has another type.
    func value(_ json: Data) -> (any Sendable)? {
        let decoder = JSONDecoder()
        return switch self {
        case .string: try? decoder.decode(String.self, from: json)
        case .int: try? decoder.decode(Int.self, from: json)
        case .bool: try? decoder.decode(Bool.self, from: json)
        case .double: try? decoder.decode(Double.self, from: json)
        }
    }
}

/// Any JSON value that `JSONDecoder` can read; a whole number becomes an integer.
private struct UntypedValue: Decodable {
    let value: JSONValue

    init(from decoder: any Decoder) throws {
        if let values = try? decoder.container(keyedBy: Key.self) {
            var object = JSONObject()
            for key in values.allKeys {
                object[key.stringValue] = try values.decode(UntypedValue.self, forKey: key).value
            }
            value = .object(object)
        } else if var values = try? decoder.unkeyedContainer() {
            var array: [JSONValue] = []
            while !values.isAtEnd { array.append(try values.decode(UntypedValue.self).value) }
            value = .array(array)
        } else {
            value = try Self.scalar(in: decoder.singleValueContainer())
        }
    }

    private static func scalar(in container: any SingleValueDecodingContainer) throws -> JSONValue {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int64.self) { return .integer(value) }
        if let value = try? container.decode(Double.self) { return .number(value) }
        return .string(try container.decode(String.self))
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

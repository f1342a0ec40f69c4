public import ForgeBusProtocol

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Converts between JSON and Swift types.
///
/// A date is a string in ISO 8601 format, in whole seconds. A `Data` value is a Base64 string. An integer outside the
/// range of `Int64` becomes the nearest `Double`.
extension JSONObject {
    /// Encodes a value as a JSON object with sorted keys, so that equal values become equal bytes.
    ///
    /// - Throws: `BusError` with code `bad_body` if the value cannot be encoded as JSON, or is not a JSON object.
    public init(encoding value: some Encodable) throws(BusError) {
        guard case .object(let object) = try JSONValue(encoding: value) else { throw Errors.noObject(value) }
        self = object
    }

    /// Encodes a dictionary, whose values may have different types, as a JSON object with sorted keys.
    ///
    /// - Throws: `BusError` with code `bad_body` if a value cannot be encoded as JSON.
    init(encoding values: [String: any Encodable]) throws(BusError) {
        self.init()
        for (key, value) in values.sorted(by: { $0.key < $1.key }) { self[key] = try JSONValue(encoding: value) }
    }

    /// Decodes the object as a value of a Swift type.
    ///
    /// - Throws: `BusError` with code `bad_answer` if the object does not fit the type.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws(BusError) -> Value {
        try JSONValue.object(self).decoded(as: type)
    }
}

extension JSONValue {
    /// Encodes a value as JSON.
    ///
    /// - Throws: `BusError` with code `bad_body` if the value cannot be encoded as JSON.
    public init(encoding value: some Encodable) throws(BusError) {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            encoder.dateEncodingStrategy = .iso8601
            self = try JSONValue(parsing: Array(try encoder.encode(value))[...])
        } catch {
            throw Errors.noJSON(value, error)
        }
    }

    /// Decodes the JSON as a value of a Swift type.
    ///
    /// - Throws: `BusError` with code `bad_answer` if the JSON does not fit the type.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws(BusError) -> Value {
        do {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            return try decoder.decode(type, from: Data(encoded))
        } catch {
            throw Errors.notDecodable(type, error)
        }
    }
}

extension RunResult {
    /// Decodes the run's outputs as a value of a Swift type.
    ///
    /// - Throws: `BusError` with code `bad_answer` if the outputs do not fit the type.
    public func outputs<Value: Decodable>(as type: Value.Type = Value.self) throws(BusError) -> Value {
        try outputs.decoded(as: type)
    }
}

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
        guard case .object(let object) = try JSONValue(encoding: value) else { throw .noObject(value) }
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
            throw .noJSON(value, error)
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
            throw .notDecodable(type, error)
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

extension BusError {
    fileprivate static func noJSON<Value>(_ value: Value, _ cause: any Error) -> BusError {
        if let refusal = cause as? BusError {
            return BusError(
                .badBody,
                "The JSON of a value of the type \(Value.self) cannot be sent. \(refusal.message)",
                next: "Send a smaller value: at most \(WireLimits.jsonDepth) levels, \(WireLimits.jsonKeys) keys, and "
                    + "\(WireLimits.combiningMarks) combining marks in a row."
            )
        }
        return BusError(
            .badBody,
            "A value of the type \(Value.self) cannot be encoded as JSON: \(codingCause(cause)).",
            next: "Send only values that JSON can represent; numbers must be finite."
        )
    }

    fileprivate static func noObject<Value>(_ value: Value) -> BusError {
        BusError(
            .badBody,
            "The JSON of a value of the type \(Value.self) is not a JSON object.",
            next: "Send a struct or a dictionary."
        )
    }

    fileprivate static func notDecodable<Value>(_ type: Value.Type, _ cause: any Error) -> BusError {
        BusError(
            .badAnswer,
            "The JSON cannot be decoded as the type \(type): \(codingCause(cause)).",
            next: "Compare the properties of the type with the JSON, or, for a run, with the outputs of the pipeline."
        )
    }
}

/// The cause of an error of encoding or decoding, with the place in the value, without a full stop.
private func codingCause(_ error: any Error) -> String {
    func text(_ context: (path: [any CodingKey], cause: String)) -> String {
        let cause = context.cause.hasSuffix(".") ? String(context.cause.dropLast()) : context.cause
        let place = context.path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
        return place.isEmpty ? cause : "at `\(place)`: \(cause)"
    }
    switch error {
    case DecodingError.keyNotFound(let key, let context):
        return text((context.codingPath, "the key `\(key.stringValue)` is missing"))
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
        DecodingError.dataCorrupted(let context):
        return text((context.codingPath, context.debugDescription))
    case EncodingError.invalidValue(let value, let context):
        if let number = value as? any BinaryFloatingPoint, !number.isFinite {
            return text((context.codingPath, "the number \(value) is not finite"))
        }
        return text((context.codingPath, context.debugDescription))
    default: return "\(error)"
    }
}

public import ForgeBusProtocol

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Between JSON and types of the program.
///
/// Dates are texts as of ISO 8601 in whole seconds, and data is Base64. A whole number beyond `Int64` becomes the nearest
/// `Double`.
extension JSONObject {
    /// The JSON of a value that is an object in it; its keys are sorted, so that equal values are equal bytes.
    ///
    /// - Throws: `BusError` with code `bad_body` for a value that has no JSON form, or is no object in it.
    public init(encoding value: some Encodable) throws(BusError) {
        guard case .object(let object) = try JSONValue(encoding: value) else { throw .noObject(value) }
        self = object
    }

    /// The JSON of a dictionary whose values may be of different types.
    ///
    /// - Throws: `BusError` with code `bad_body` for a value that has no JSON form.
    init(encoding values: [String: any Encodable]) throws(BusError) {
        self.init()
        for (key, value) in values.sorted(by: { $0.key < $1.key }) { self[key] = try JSONValue(encoding: value) }
    }

    /// The object as a type of the program.
    ///
    /// - Throws: `BusError` with code `bad_answer` where it is not what the type takes.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws(BusError) -> Value {
        try JSONValue.object(self).decoded(as: type)
    }
}

extension JSONValue {
    /// The JSON of a value.
    ///
    /// - Throws: `BusError` with code `bad_body` for a value that has no JSON form.
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

    /// The JSON as a type of the program.
    ///
    /// - Throws: `BusError` with code `bad_answer` where it is not what the type takes.
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
    /// What the pipeline gave out, as a type of the program.
    ///
    /// - Throws: `BusError` with code `bad_answer` where the outputs are not what the type takes.
    public func outputs<Value: Decodable>(as type: Value.Type = Value.self) throws(BusError) -> Value {
        try outputs.decoded(as: type)
    }
}

extension BusError {
    fileprivate static func noJSON<Value>(_ value: Value, _ cause: any Error) -> BusError {
        BusError(
            .badBody,
            "A \(Value.self) has no JSON form: \(cause).",
            next: "Send what JSON can say within the protocol's limits: no number that is not finite, 64 levels."
        )
    }

    fileprivate static func noObject<Value>(_ value: Value) -> BusError {
        BusError(.badBody, "A \(Value.self) is no JSON object.", next: "Send something with keys, or a dictionary.")
    }

    fileprivate static func notDecodable<Value>(_ type: Value.Type, _ cause: any Error) -> BusError {
        BusError(
            .badAnswer,
            "What came is no \(type): \(cause).",
            next: "Compare the type with what the pipeline declares as its outputs."
        )
    }
}

import ForgeBusProtocol

// The errors about JSON that the program gives, or that it asks for.

extension Errors {
    static func noJSON<Value>(_ value: Value, _ cause: any Error) -> BusError {
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

    static func noObject<Value>(_ value: Value) -> BusError {
        BusError(
            .badBody,
            "The JSON of a value of the type \(Value.self) is not a JSON object.",
            next: "Send a struct or a dictionary."
        )
    }

    static func notDecodable<Value>(_ type: Value.Type, _ cause: any Error) -> BusError {
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

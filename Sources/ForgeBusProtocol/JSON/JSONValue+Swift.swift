/// Converts between JSON and Swift values.
///
/// | JSON | Swift |
/// |---|---|
/// | string, boolean | `String`, `Bool` |
/// | integer, number | `Int`, `Double` |
/// | array, object | `[any Sendable]`, `[String: any Sendable]`, which cast to `[String]`, `[String: Int]` … |
extension JSONValue {
    /// The value as a Swift value; nil for `null`.
    ///
    /// Inside arrays and objects, `null` becomes ``JSONValue/null``.
    public var swiftValue: (any Sendable)? {
        switch self {
        case .null: nil
        case .bool(let value): value
        case .integer(let value): Int(value)
        case .number(let value): value
        case .string(let text): text
        case .array(let values): values.map { $0.swiftValue ?? JSONValue.null }
        case .object(let object):
            Dictionary(uniqueKeysWithValues: object.entries.map { ($0.key, $0.value.swiftValue ?? JSONValue.null) })
        }
    }

    /// Makes JSON from a Swift value.
    ///
    /// - Returns: nil for a type without a JSON form, an integer that does not fit 64 bits, and a number that is not
    ///   finite.
    public init?(swiftValue value: any Sendable) {
        switch value {
        case let value as JSONValue: self = value
        case let value as String: self = .string(value)
        case let value as Bool: self = .bool(value)
        case let value as any BinaryInteger:
            guard let integer = Int64(exactly: value) else { return nil }
            self = .integer(integer)
        case let value as any BinaryFloatingPoint:
            let number = Double(value)
            guard number.isFinite else { return nil }
            self = .number(number)
        case let values as [any Sendable]:
            var elements: [JSONValue] = []
            for value in values {
                guard let element = JSONValue(swiftValue: value) else { return nil }
                elements.append(element)
            }
            self = .array(elements)
        case let values as [String: any Sendable]:
            var object = JSONObject()
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                guard let element = JSONValue(swiftValue: value) else { return nil }
                object[key] = element
            }
            self = .object(object)
        default: return nil
        }
    }
}

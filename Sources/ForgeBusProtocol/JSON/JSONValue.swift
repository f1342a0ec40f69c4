/// A JSON value in a body or in attributes.
///
/// Integers differ from other numbers: `1` is an integer, and `1.0` is not an integer. JSON has only finite numbers.
public enum JSONValue: Hashable, Sendable {
    /// The value `null`.
    case null
    /// The value `true` or `false`.
    case bool(Bool)
    /// A number without fraction and exponent that fits a signed 64-bit integer.
    case integer(Int64)
    /// A finite number that is not an `integer`: it has a fraction or an exponent, or needs more than 64 bits.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object, whose entries keep their written order.
    case object(JSONObject)

    /// The name of the value's type in the protocol's errors.
    public var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .integer: "integer"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    /// The string; nil for a value of another type.
    public var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The integer; nil for a value of another type.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The number or integer as a `Double`, which rounds large integers; nil for a value of another type.
    public var number: Double? {
        switch self {
        case .number(let value): value
        case .integer(let value): Double(value)
        case .null, .bool, .string, .array, .object: nil
        }
    }
    /// The object; nil for a value of another type.
    public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
    /// The array; nil for a value of another type.
    public var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
    /// The Boolean; nil for a value of another type.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}

/// A JSON object: entries in their written order; no two entries have the same key.
public struct JSONObject: Hashable, Sendable {
    /// One key with its value.
    public struct Entry: Hashable, Sendable {
        /// The key.
        public var key: String
        /// The key's value.
        public var value: JSONValue

        /// Makes an entry from a key and its value.
        public init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// The entries in their written order.
    public private(set) var entries: [Entry]

    /// Makes an object without entries.
    public init() { entries = [] }

    /// Makes an object from entries; the caller must make sure that all keys differ.
    package init(unique entries: [Entry]) { self.entries = entries }

    /// Whether the object has no entries.
    public var isEmpty: Bool { entries.isEmpty }

    /// The value under `key`, or nil; setting nil removes the entry.
    ///
    /// - Complexity: O(*n*) for *n* entries; the objects of this protocol are small.
    public subscript(key: String) -> JSONValue? {
        get { entries.first { $0.key == key }?.value }
        set {
            let index = entries.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil): entries.remove(at: index)
            case (nil, let value?): entries.append(Entry(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Adds the entries of `other`; if both objects have a key, the value of `other` counts.
    package mutating func add(_ other: JSONObject?) {
        for entry in other?.entries ?? [] { self[entry.key] = entry.value }
    }

    /// This object with the entries of `other`; if both objects have a key, the value of `other` counts.
    package func adding(_ other: JSONObject) -> JSONObject {
        var sum = self
        sum.add(other)
        return sum
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Makes an object from a literal; if a key occurs twice, the last value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init()
        for (key, value) in elements { self[key] = value }
    }
}

extension JSONValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// Makes a string from a literal.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Makes an integer from a literal.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Makes a number from a literal.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// Makes a Boolean from a literal.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Makes an array from a literal.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Makes an object from a literal; if a key occurs twice, the last value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (key, value) in elements { object[key] = value }
        self = .object(object)
    }
    /// Makes the value `null` from `nil`.
    public init(nilLiteral: ()) { self = .null }
}

/// A JSON value in a body or in attributes.
///
/// Integers differ from other numbers: `1` is an integer, `1.0` is not. Numbers are always finite.
public enum JSONValue: Hashable, Sendable {
    /// The value `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without fraction and exponent that fits 64 bits.
    case integer(Int64)
    /// Any other finite number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object, in its written order.
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

    /// The string, if this is one.
    public var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The integer, if this is one.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The number, if this is one; an integer is one, too, and loses what a `Double` has no digits for.
    public var number: Double? {
        switch self {
        case .number(let value): value
        case .integer(let value): Double(value)
        case .null, .bool, .string, .array, .object: nil
        }
    }
    /// The object, if this is one.
    public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
    /// The array, if this is one.
    public var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
    /// The Boolean, if this is one.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}

/// A JSON object: keys with values, each key once, in their written order.
public struct JSONObject: Hashable, Sendable {
    /// One key with its value.
    public struct Entry: Hashable, Sendable {
        /// The key.
        public var key: String
        /// Its value.
        public var value: JSONValue

        /// A key with its value.
        public init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// The entries in order.
    public private(set) var entries: [Entry]

    /// An object without entries.
    public init() { entries = [] }

    /// Makes an object from entries whose keys differ, as the caller knows.
    package init(unique entries: [Entry]) { self.entries = entries }

    /// Whether there is no entry.
    public var isEmpty: Bool { entries.isEmpty }

    /// The value under `key`; setting nil removes it.
    ///
    /// - Complexity: O(*n*): the objects of this protocol are small.
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
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Makes an object from a literal; of equal keys the last value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init()
        for (key, value) in elements { self[key] = value }
    }
}

extension JSONValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (key, value) in elements { object[key] = value }
        self = .object(object)
    }
    /// The value `null`.
    public init(nilLiteral: ()) { self = .null }
}

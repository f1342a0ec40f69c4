import ForgeBusProtocol
import Foundation

/// A value of `golden.json`, read by Foundation and not by the parser under test.
enum Neutral: Decodable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([Neutral])
    case object([String: Neutral])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let values = try? container.decode([Neutral].self) {
            self = .array(values)
        } else {
            self = .object(try container.decode([String: Neutral].self))
        }
    }

    /// The bytes a piece stands for.
    var bytes: [UInt8] {
        switch self {
        case .string(let text): return Array(text.utf8)
        case .object(let object):
            if case .string(let digits)? = object["hex"] { return Self.bytes(hexadecimal: digits) }
            if case .array(let parts)? = object["repeat"], case .string(let text) = parts[0],
                case .integer(let count) = parts[1]
            {
                return Array(repeatElement(Array(text.utf8), count: Int(count)).joined())
            }
            if case .array(let pieces)? = object["join"] { return pieces.flatMap(\.bytes) }
            fatalError("golden.json has an object that is no piece: \(object)")
        case .null, .bool, .integer, .number, .array: fatalError("golden.json has a frame that is no piece: \(self)")
        }
    }

    /// The value with every `repeat` and `join` written out.
    var expanded: Neutral {
        switch self {
        case .array(let values): .array(values.map(\.expanded))
        case .object(let object) where object["repeat"] != nil || object["join"] != nil: .bytes(bytes)
        case .object(let object): .object(object.mapValues(\.expanded))
        case .null, .bool, .integer, .number, .string: self
        }
    }

    /// Bytes as a value has them: a string where they are UTF-8, otherwise a `hex` piece.
    static func bytes(_ bytes: some Collection<UInt8>) -> Neutral {
        if let text = String(validating: bytes, as: UTF8.self) { return .string(text) }
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return .object(["hex": .string(digits)])
    }

    private static func bytes(hexadecimal digits: String) -> [UInt8] {
        stride(from: 0, to: digits.utf8.count, by: 2).map { offset in
            let start = digits.index(digits.startIndex, offsetBy: offset)
            guard let byte = UInt8(digits[start...].prefix(2), radix: 16) else {
                fatalError("golden.json has hexadecimal digits that are none: \(digits)")
            }
            return byte
        }
    }
}

extension Neutral: Equatable {
    /// Strings are compared byte by byte, numbers by what they amount to: Foundation does not tell `1` from `1.0`.
    static func == (a: Neutral, b: Neutral) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        case (.integer(let a), .number(let b)), (.number(let b), .integer(let a)): Double(a) == b
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): a == b
        default: false
        }
    }
}

extension Neutral {
    /// A value of the module.
    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .number(value)
        case .string(let text): self = .string(text)
        case .array(let values): self = .array(values.map { Neutral($0) })
        case .object(let object): self = Neutral(object)
        }
    }

    /// An object of the module.
    init(_ object: JSONObject) {
        let entries = object.entries.map { ($0.key, Neutral($0.value)) }
        self = .object(Dictionary(entries) { first, _ in first })
    }
}

#if PostgreSQL

/// A parameter of a statement, in PostgreSQL's binary format.
struct PostgresValue: Sendable {
    /// The number of the value's type in PostgreSQL's catalogue.
    let type: UInt32
    /// The value; nil for NULL.
    let bytes: [UInt8]?

    static func integer(_ value: Int64?) -> PostgresValue { PostgresValue(type: 20, bytes: value?.bigEndianBytes) }

    static func boolean(_ value: Bool) -> PostgresValue { PostgresValue(type: 16, bytes: [value ? 1 : 0]) }

    static func text(_ value: String?) -> PostgresValue {
        PostgresValue(type: 25, bytes: value.map { Array($0.utf8) })
    }

    static func bytes(_ value: [UInt8]?) -> PostgresValue { PostgresValue(type: 17, bytes: value) }

    static func integers(_ values: [Int64?]) -> PostgresValue {
        array(of: 20, type: 1016, values.map { $0?.bigEndianBytes })
    }

    static func smallIntegers(_ values: [Int16]) -> PostgresValue {
        array(of: 21, type: 1005, values.map(\.bigEndianBytes))
    }

    static func texts(_ values: [String?]) -> PostgresValue {
        array(of: 25, type: 1009, values.map { $0.map { Array($0.utf8) } })
    }

    static func bytes(_ values: [[UInt8]?]) -> PostgresValue { array(of: 17, type: 1001, values) }

    /// JSON texts; PostgreSQL checks them, and keeps them as they are.
    static func json(_ values: [[UInt8]?]) -> PostgresValue { array(of: 114, type: 199, values) }

    private static func array(of element: UInt32, type: UInt32, _ values: [[UInt8]?]) -> PostgresValue {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + values.reduce(0) { $0 + 4 + ($1?.count ?? 0) })
        // The number of dimensions, whether there are NULLs, the type; then the size of the dimension, and its first index.
        bytes.append(bigEndian: Int32(values.isEmpty ? 0 : 1))
        bytes.append(bigEndian: Int32(values.contains { $0 == nil } ? 1 : 0))
        bytes.append(bigEndian: Int32(bitPattern: element))
        if !values.isEmpty {
            bytes.append(bigEndian: Int32(values.count))
            bytes.append(bigEndian: Int32(1))
        }
        for value in values {
            bytes.append(bigEndian: Int32(value?.count ?? -1))
            if let value { bytes += value }
        }
        return PostgresValue(type: type, bytes: bytes)
    }
}

/// One statement with its parameters, `$1` and so on.
struct PostgresStatement: Sendable {
    let text: String
    let parameters: [PostgresValue]

    init(_ text: String, _ parameters: [PostgresValue] = []) {
        self.text = text
        self.parameters = parameters
    }
}

extension FixedWidthInteger {
    fileprivate var bigEndianBytes: [UInt8] { Swift.withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: Int32) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
#endif

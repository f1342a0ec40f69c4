/// A context value of a resumed run, in its stored form; it can be read only as the type that it was stored as.
package struct RestoredValue: Sendable {
    /// The qualified name of the value's Swift type.
    package let typeName: String
    /// The encoded bytes of the value.
    package let encoded: [UInt8]
    private let decode: @Sendable (any Decodable.Type, [UInt8]) -> Any?

    /// Makes a value of the type called `typeName` from its encoded bytes.
    ///
    /// - Parameters:
    ///   - typeName: The type's name, as returned by ``name(of:)``.
    ///   - encoded: The encoded bytes of the value.
    ///   - decode: Decodes the bytes as the given type; returns nil if that fails.
    package init(
        typeName: String,
        encoded: [UInt8],
        decode: @escaping @Sendable (any Decodable.Type, [UInt8]) -> Any?
    ) {
        self.typeName = typeName
        self.encoded = encoded
        self.decode = decode
    }

    /// The qualified name of a type, with the names of its module and of the types that contain it.
    package static func name(of type: any Any.Type) -> String { _typeName(type, qualified: true) }

    /// Decodes the value; nil if the value was stored as another type, even if the bytes could be decoded as `type`.
    func decoded<T>(as type: T.Type) -> T? {
        guard Self.name(of: type) == typeName, let type = type as? any Decodable.Type else { return nil }
        return decode(type, encoded) as? T
    }
}

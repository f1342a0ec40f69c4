/// A value of a context that was kept while its run did not execute, and is given back as the type it had.
package struct RestoredValue: Sendable {
    /// The name of its Swift type.
    package let typeName: String
    /// Its form as it was kept.
    package let encoded: [UInt8]
    private let decode: @Sendable (any Decodable.Type, [UInt8]) -> Any?

    /// A value of the type called `typeName`.
    ///
    /// - Parameters:
    ///   - typeName: As ``name(of:)`` gives it.
    ///   - encoded: Its form as it was kept.
    ///   - decode: Reads that form as a type; nil if it is none.
    package init(
        typeName: String,
        encoded: [UInt8],
        decode: @escaping @Sendable (any Decodable.Type, [UInt8]) -> Any?
    ) {
        self.typeName = typeName
        self.encoded = encoded
        self.decode = decode
    }

    /// The name under which values of a type are kept: with the module's, and those of whatever it stands in.
    package static func name(of type: any Any.Type) -> String { _typeName(type, qualified: true) }

    /// The value as the type it had; nil for any other, be it one that could be read as well.
    func decoded<T>(as type: T.Type) -> T? {
        guard Self.name(of: type) == typeName, let type = type as? any Decodable.Type else { return nil }
        return decode(type, encoded) as? T
    }
}

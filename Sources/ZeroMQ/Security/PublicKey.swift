/// A peer's identity on encrypted connections: a CURVE key of 32 bytes, safe to show to anybody.
///
/// Written as text, a key is 40 characters of Z85. Equal keys mean the same peer.
public struct PublicKey: Hashable, Sendable {
    /// The 32 bytes as four numbers, so that storing and comparing keys needs no allocation.
    private let words: Words

    private struct Words: Hashable, Sendable {
        var first: UInt64 = 0
        var second: UInt64 = 0
        var third: UInt64 = 0
        var fourth: UInt64 = 0
    }

    /// The size of a key: 32 bytes.
    public static let sizeInBytes = 32

    /// Makes a key from its bytes.
    ///
    /// - Parameter bytes: 32 bytes.
    /// - Throws: ``ZeroMQError`` with code `invalid_key` for another number of bytes.
    public init(bytes: [UInt8]) throws(ZeroMQError) {
        guard bytes.count == Self.sizeInBytes else { throw Errors.invalidKey("A public key", bytes: bytes.count) }
        var words = Words()
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
        self.words = words
    }

    /// Reads a key from its text.
    ///
    /// - Parameter text: 40 characters of Z85.
    /// - Throws: ``ZeroMQError`` with code `invalid_key` for any other text.
    public init(_ text: String) throws(ZeroMQError) {
        guard let bytes = Z85.decode(text.utf8), bytes.count == Self.sizeInBytes else {
            throw Errors.invalidKey("A public key", text: text)
        }
        try self.init(bytes: bytes)
    }

    /// The 32 bytes of the key.
    public var bytes: [UInt8] { withUnsafeBytes(of: words) { [UInt8]($0) } }
}

extension PublicKey: CustomStringConvertible {
    /// The key as 40 characters of Z85.
    public var description: String { Z85.encode(bytes) }
}

/// A SHA-256 digest.
///
/// It is the digest of a request's content, of a pipeline's definition, of a part of such a definition, or of an audit
/// entry and all audit entries before it.
public struct Fingerprint: Hashable, Sendable {
    /// The 256 bits of the digest as four words of 64 bits, in order.
    public var words: (UInt64, UInt64, UInt64, UInt64)

    /// Creates a fingerprint from the four words of a digest, in order.
    public init(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) { words = (a, b, c, d) }

    /// Whether all 256 bits are equal.
    public static func == (a: Fingerprint, b: Fingerprint) -> Bool { a.words == b.words }

    /// Hashes only the first word, because the bits of a digest are evenly distributed already.
    public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension Fingerprint {
    /// The digest as 32 bytes.
    package var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    }

    /// Reads 32 bytes; nil for any other number of bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        func word(_ index: Int) -> UInt64 { bytes[8 * index..<8 * index + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(word(0), word(1), word(2), word(3))
    }
}

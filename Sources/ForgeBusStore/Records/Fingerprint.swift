/// A SHA-256 digest: of a request's content, or of a pipeline's definition.
public struct Fingerprint: Hashable, Sendable {
    /// The bits, first word first.
    public var words: (UInt64, UInt64, UInt64, UInt64)

    /// Four words, first word first.
    public init(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) { words = (a, b, c, d) }

    /// Whether all bits are the same.
    public static func == (a: Fingerprint, b: Fingerprint) -> Bool { a.words == b.words }

    /// Hashes the first word: the bits of a digest are spread already.
    public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

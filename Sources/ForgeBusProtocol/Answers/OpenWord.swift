/// One of several words in an item; a newer worker may send a word that this version does not know.
public protocol OpenWord: Hashable, Sendable, CustomStringConvertible {
    /// All values that this version knows.
    static var known: [Self] { get }

    /// A value that this version does not know.
    static func unknown(_ word: String) -> Self

    /// The word in JSON.
    var word: String { get }
}

extension OpenWord {
    /// The value of a word; ``unknown(_:)`` for a word that this version does not know.
    public init(word: String) { self = Self.known.first { $0.word == word } ?? .unknown(word) }

    /// The word in JSON.
    public var description: String { word }
}

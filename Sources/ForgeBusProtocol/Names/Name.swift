/// The checked name of a topic, a pipeline, a run, a signal or a monitor; all names follow the same grammar.
///
/// A name consists of tokens of 1 to 64 characters from `A-Z a-z 0-9 _ -`, joined by dots, and has at most 256 bytes:
/// `deploy.42.approve`. Section "Names" of `Protocol.md` defines the rule. Programs write a name as a ``WrittenName``,
/// and the call that uses the name checks it.
public struct Name: Hashable, Comparable, Sendable {
    /// The name's text on the wire.
    public let text: String

    /// The maximum size of a name, in bytes.
    public static let maximumSizeInBytes = 256
    /// The maximum size of one token between dots, in bytes.
    public static let maximumTokenSizeInBytes = 64

    /// Makes a name from a text.
    ///
    /// - Throws: ``BusError`` with code `bad_name`; the message says which rule the text breaks.
    public init(_ text: String) throws(BusError) {
        if let flaw = Self.flaw(in: text.utf8, atMost: Self.maximumSizeInBytes) { throw Errors.noName(text, flaw) }
        self.text = text
    }

    /// Makes a name from the bytes of a frame.
    ///
    /// - Throws: ``BusError`` with code `bad_name`; the message says which rule the text breaks.
    public init(bytes: ArraySlice<UInt8>) throws(BusError) {
        let text = String(decoding: bytes, as: UTF8.self)
        if let flaw = Self.flaw(in: bytes, atMost: Self.maximumSizeInBytes) { throw Errors.noName(text, flaw) }
        self.text = text
    }

    /// Makes a name from a text that the caller has checked.
    package init(unchecked text: String) { self.text = text }

    /// Orders names by their bytes.
    public static func < (a: Name, b: Name) -> Bool { a.text < b.text }

    /// Whether a token may contain this byte.
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D: true
        default: false
        }
    }

    /// Why `bytes` are not a name of at most `most` bytes, as a part of an error message; nil if they are such a name.
    static func flaw(in bytes: some Collection<UInt8>, atMost most: Int) -> String? {
        guard !bytes.isEmpty else { return "it is empty" }
        guard bytes.count <= most else { return "it has \(bytes.count) bytes, and at most \(most) are allowed" }
        var tokenSize = 0
        for byte in bytes {
            if byte == UInt8(ascii: ".") {
                guard tokenSize > 0 else { return "it has an empty part" }
                tokenSize = 0
            } else {
                guard isTokenByte(byte) else { return "it has a character outside A-Z a-z 0-9 _ - and the dot" }
                tokenSize += 1
                guard tokenSize <= maximumTokenSizeInBytes else { return "a part is longer than 64 characters" }
            }
        }
        return tokenSize > 0 ? nil : "it ends in a dot"
    }
}

extension Name: CustomStringConvertible, ExpressibleByStringLiteral {
    /// The name's text on the wire.
    public var description: String { text }

    /// Makes a name from a literal; a malformed literal ends the process with a message.
    public init(stringLiteral text: String) {
        do { self = try Name(text) } catch { fatalError(error.description) }
    }
}

/// What a command printed to one stream: the end of the text, and how much of its beginning is left out.
public struct PrintedText: Hashable, Sendable {
    /// The end of the text.
    ///
    /// It has no row of combining marks that a receiver of JSON would refuse (section "Bodies" of `Protocol.md`).
    public private(set) var text: String
    /// How many bytes of the beginning are left out.
    public var omittedBytes: Int

    /// Creates the end of a text, of which so many bytes are left out.
    public init(_ text: String, omittedBytes: Int = 0) {
        self.text = text.streamSafe
        self.omittedBytes = omittedBytes
    }

    /// The end of `bytes`, of which the last ``maximumSizeInBytes`` are kept; bytes that are not UTF-8 become U+FFFD.
    ///
    /// - Parameters:
    ///   - bytes: What was printed, or the end of it.
    ///   - sizeInBytes: How many bytes were printed in all; nil if `bytes` are the whole.
    public init(endOf bytes: [UInt8], sizeInBytes: Int? = nil) {
        let size = sizeInBytes ?? bytes.count
        var end = bytes.suffix(Self.maximumSizeInBytes)
        if end.count < size {
            // A character that was cut loses its other bytes, too: at most three.
            end = end.dropFirst(end.prefix(3).prefix { $0 & 0xC0 == 0x80 }.count)
        }
        self.init(String(decoding: end, as: UTF8.self), omittedBytes: size - end.count)
    }

    /// Whether nothing was printed.
    public var isEmpty: Bool { text.isEmpty && omittedBytes == 0 }

    /// The most bytes that are kept of a text: 64 KiB.
    public static let maximumSizeInBytes = 64 * 1024
}

extension String {
    /// The text without the combining marks that follow ``WireLimits/combiningMarks`` others in a row.
    fileprivate var streamSafe: String {
        guard utf8.contains(where: { $0 >= 0xCC }) else { return self }
        var row = 0
        let kept = unicodeScalars.filter { scalar in
            row = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : row + 1
            return row <= WireLimits.combiningMarks
        }
        return String(String.UnicodeScalarView(kept))
    }
}

/// What a command printed to one stream: the end of the text, and how much of its beginning is left out.
public struct PrintedText: Hashable, Sendable {
    /// The end of the text.
    ///
    /// It has at most ``WireLimits/combiningMarks`` combining marks in a row, because a receiver of JSON refuses more.
    public private(set) var text: String
    /// How many bytes of the beginning are left out.
    public var omittedBytes: Int

    /// Makes the value from the end of a text; `omittedBytes` bytes before this end are left out.
    public init(_ text: String, omittedBytes: Int = 0) {
        self.text = text.streamSafe
        self.omittedBytes = omittedBytes
    }

    /// Makes the value from printed bytes, and keeps at most the last ``maximumSizeInBytes`` of them.
    ///
    /// Bytes that are not UTF-8 become U+FFFD.
    ///
    /// - Parameters:
    ///   - bytes: All printed bytes, or only the last ones.
    ///   - sizeInBytes: How many bytes were printed in total; nil if `bytes` has all of them.
    public init(endOf bytes: [UInt8], sizeInBytes: Int? = nil) {
        let size = sizeInBytes ?? bytes.count
        var end = bytes.suffix(Self.maximumSizeInBytes)
        if end.count < size {
            // If the cut is inside a character, the rest of the character is dropped, too: at most three bytes.
            end = end.dropFirst(end.prefix(3).prefix { $0 & 0xC0 == 0x80 }.count)
        }
        self.init(String(decoding: end, as: UTF8.self), omittedBytes: size - end.count)
    }

    /// Whether nothing was printed.
    public var isEmpty: Bool { text.isEmpty && omittedBytes == 0 }

    /// The maximum size of the kept end of a text, in bytes: 64 KiB.
    public static let maximumSizeInBytes = 64 * 1024
}

extension String {
    /// The text with at most ``WireLimits/combiningMarks`` combining marks in a row; further marks are removed.
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

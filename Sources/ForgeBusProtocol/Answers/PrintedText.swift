/// What a command printed to one stream: the end of the text, and the size of the whole.
public struct PrintedText: Hashable, Sendable {
    /// The end of the text, at most ``maximumSizeInBytes`` bytes of what was printed.
    public var text: String
    /// How many bytes were printed in all; more than `text` has if only the end is kept.
    public var sizeInBytes: Int

    /// Creates the end of a text; without `sizeInBytes`, the text is the whole.
    public init(_ text: String, sizeInBytes: Int? = nil) {
        self.text = text
        self.sizeInBytes = sizeInBytes ?? text.utf8.count
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
        self.init(String(decoding: end, as: UTF8.self), sizeInBytes: size)
    }

    /// The most bytes that are kept of a text: 64 KiB.
    public static let maximumSizeInBytes = 64 * 1024
}

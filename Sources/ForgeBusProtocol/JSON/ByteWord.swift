/// Eight bytes that are examined together; the first byte is the least significant one.
///
/// One subtraction from all bytes sets the high bit of each byte that is smaller than a limit. The borrow may also set
/// the high bit of the next byte, so only the first of these marks is exact (Warren, *Hacker's Delight*, 6-1).
struct ByteWord {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080
    static let size = 8

    private let word: UInt64

    /// The eight bytes from `offset` on.
    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Whether all bytes are ASCII.
    var isASCII: Bool { word & Self.highs == 0 }

    /// The number of bytes before the first byte that a JSON string cannot contain without an escape.
    ///
    /// Such a byte is a control character below 0x20, a quotation mark or a backslash; without one, the number is 8.
    var plainPrefix: Int {
        let marks =
            (Self.below(0x20, word) | marks(of: UInt8(ascii: "\"")) | marks(of: UInt8(ascii: "\\"))) & Self.highs
        return marks.trailingZeroBitCount / 8
    }

    /// Whether one of the eight bytes is `byte`.
    func contains(_ byte: UInt8) -> Bool { marks(of: byte) & Self.highs != 0 }

    private func marks(of byte: UInt8) -> UInt64 { Self.below(1, word ^ (Self.ones &* UInt64(byte))) }

    private static func below(_ limit: UInt64, _ word: UInt64) -> UInt64 { (word &- ones &* limit) & ~word }
}

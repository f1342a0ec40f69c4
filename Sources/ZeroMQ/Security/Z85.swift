/// Encodes and decodes Z85, ZeroMQ's text form of binary keys: five printable characters for four bytes.
///
/// Pure. The specification is rfc.zeromq.org/spec/32.
enum Z85 {
    /// The characters in the order of their values.
    private static let alphabet = Array(
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#".utf8
    )

    /// The value of each ASCII character; 85 for characters outside the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 85, count: 128)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    /// Encodes bytes; their number must be a multiple of four.
    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count / 4 * 5)
        for start in stride(from: 0, to: bytes.count, by: 4) {
            var value = bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            var group: [UInt8] = [0, 0, 0, 0, 0]
            for place in group.indices.reversed() {
                group[place] = alphabet[Int(value % 85)]
                value /= 85
            }
            text += group
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a text.
    ///
    /// - Returns: The bytes. Nil if the number of characters is not a multiple of five, if a character is not in the
    ///   alphabet, or if the value of five characters does not fit into four bytes.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 5 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 5 * 4)
        var value: UInt64 = 0
        for (place, character) in text.enumerated() {
            guard character < 128, values[Int(character)] < 85 else { return nil }
            value = value * 85 + UInt64(values[Int(character)])
            guard place % 5 == 4 else { continue }
            guard value <= UInt32.max else { return nil }
            for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift))) }
            value = 0
        }
        return bytes
    }
}

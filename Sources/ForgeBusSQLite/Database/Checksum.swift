/// A 64-bit checksum over bytes and numbers, which shows whether a row was changed.
///
/// Each step combines the state with the next 64-bit word. If only the word differs, or only the state, the new state
/// differs, too. So a single changed word always changes the sum. Several changed words leave the sum unchanged in one
/// of 2⁶⁴ cases. The checksum does not protect against forgery.
struct Checksum {
    private var state: UInt64

    /// Begins the checksum of a row; `kind` is a number for the kind of row.
    init(_ kind: UInt64) { state = kind ^ 0x9E37_79B9_7F4A_7C15 }

    mutating func add(_ word: UInt64) {
        let mixed = (state ^ word) &* 0x9FB2_1C65_1E98_DF25
        state = mixed << 29 | mixed >> 35
    }

    mutating func add(_ number: Int64) { add(UInt64(bitPattern: number)) }

    /// Adds the number of bytes, then the bytes, eight at a time.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        add(UInt64(bytes.count))
        var offset = 0
        while offset + 8 <= bytes.count {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        guard offset < bytes.count else { return }
        var last: UInt64 = 0
        for byte in bytes[offset...] { last = last << 8 | UInt64(byte) }
        add(last)
    }

    mutating func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }

    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    /// Adds a text; nil and an empty text give different sums.
    mutating func add(_ text: String?) {
        add(text == nil ? 0 : 1 as UInt64)
        if let text { add(text) }
    }

    /// The checksum as a signed integer, which SQLite can store.
    var value: Int64 {
        var mixed = state
        mixed = (mixed ^ mixed >> 32) &* 0xD6E8_FEB8_6659_FD93
        mixed = (mixed ^ mixed >> 32) &* 0xD6E8_FEB8_6659_FD93
        return Int64(bitPattern: mixed ^ mixed >> 32)
    }
}

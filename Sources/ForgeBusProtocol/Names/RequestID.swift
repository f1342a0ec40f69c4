/// The id of a request; the sender chooses it before the first send and keeps it for every resend.
///
/// An id has 1 to 128 bytes, each from 0x21 to 0x7E: printable ASCII without the space. Every answer to the request
/// repeats the id. Two requests of one principal with the same id and the same content count as the same request.
public struct RequestID: Hashable, Sendable, CustomStringConvertible {
    /// The id's text on the wire.
    public let text: String

    /// The maximum size of an id, in bytes.
    public static let maximumSizeInBytes = 128

    /// Makes an id from a text.
    ///
    /// - Throws: ``BusError`` with code `bad_id`.
    public init(_ text: String) throws(BusError) {
        guard Self.isValid(text.utf8) else { throw Errors.noRequestID(text) }
        self.text = text
    }

    /// Makes an id from the bytes of a frame.
    ///
    /// - Throws: ``BusError`` with code `bad_id`.
    public init(bytes: ArraySlice<UInt8>) throws(BusError) {
        guard Self.isValid(bytes) else { throw Errors.noRequestID(String(decoding: bytes, as: UTF8.self)) }
        self.text = String(decoding: bytes, as: UTF8.self)
    }

    /// Makes a new id of 128 random bits, written as 32 hexadecimal digits.
    public static func random() -> RequestID {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// Makes a new id of 128 bits from `generator`, written as 32 hexadecimal digits.
    public static func random(using generator: inout some RandomNumberGenerator) -> RequestID {
        var digits: [UInt8] = []
        digits.reserveCapacity(32)
        for _ in 0..<2 {
            let bits = generator.next() as UInt64
            for shift in stride(from: 60, through: 0, by: -4) {
                digits.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: bits >> UInt64(shift)) & 0xF))
            }
        }
        return RequestID(unchecked: String(decoding: digits, as: UTF8.self))
    }

    /// The id's text on the wire.
    public var description: String { text }

    private init(unchecked text: String) { self.text = text }

    private static func isValid(_ bytes: some Collection<UInt8>) -> Bool {
        (1...maximumSizeInBytes).contains(bytes.count) && bytes.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

import Crypto
import ForgeBusProtocol

/// The two ends of an audit's chain, which a store keeps in addition to the entries.
///
/// Each entry's hash is the SHA-256 digest of two parts, one after the other: the hash of the entry before it, as 64
/// hexadecimal digits, and the entry's bytes. The chain is a value. The only writer of a store owns it, and commits it
/// together with the entries.
public struct AuditChain: Hashable, Sendable {
    /// The number and the hash of the last dropped entry; ``AuditHead/start`` if the store has dropped no entry.
    ///
    /// The hash of the oldest kept entry depends on this hash.
    public private(set) var anchor: AuditHead
    /// The number and the hash of the newest entry; equal to ``anchor`` if the store keeps no entry.
    public private(set) var head: AuditHead

    /// Creates the ends of a chain; by default the chain is empty.
    public init(anchor: AuditHead = .start, head: AuditHead = .start) {
        self.anchor = anchor
        self.head = head
    }

    /// The number of kept entries.
    public var count: Int64 { head.number - anchor.number }

    /// Gives `entry` the next number, and adds the entry to the chain.
    public mutating func append(_ entry: AuditEntry) -> AuditLink {
        let number = head.number + 1
        let bytes = entry.encoded(numbered: number)
        let link = AuditLink(number, at: entry.unixMilliseconds, bytes, hash: head.hash.chained(to: bytes))
        head = link.head
        return link
    }

    /// Drops the oldest entries up to and including `last`.
    public mutating func drop(through last: AuditHead) { anchor = last }
}

/// One entry of a chain, as a store keeps it.
public struct AuditLink: Hashable, Sendable {
    /// The entry's number; the first entry of a store has number 1, and the numbers have no gaps.
    public var number: Int64
    /// The entry's time, in milliseconds since 1970.
    public var unixMilliseconds: Int64
    /// The entry as JSON, exactly as it was hashed.
    public var bytes: [UInt8]
    /// The hash of this entry and of all entries before it.
    public var hash: Fingerprint

    /// Creates a link from the stored values.
    public init(_ number: Int64, at unixMilliseconds: Int64, _ bytes: [UInt8], hash: Fingerprint) {
        self.number = number
        self.unixMilliseconds = unixMilliseconds
        self.bytes = bytes
        self.hash = hash
    }

    /// The point of the chain after this entry.
    public var head: AuditHead { AuditHead(number, hash) }
}

extension Fingerprint {
    /// Returns the hash of the entry with these bytes; this fingerprint is the hash of the previous entry.
    func chained(to bytes: [UInt8]) -> Fingerprint { Fingerprint(of: Array(hexadecimal.utf8), bytes) }

    /// Creates the SHA-256 digest of `parts`, one after the other.
    package init(of parts: [UInt8]...) {
        var hash = SHA256()
        for part in parts { part.withUnsafeBytes { hash.update(bufferPointer: $0) } }
        self = hash.finalize().withUnsafeBytes { digest in
            func word(_ index: Int) -> UInt64 {
                UInt64(bigEndian: digest.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
            }
            return Fingerprint(word(0), word(1), word(2), word(3))
        }
    }

    /// The digest as 64 hexadecimal digits in lower case.
    public var hexadecimal: String {
        [words.0, words.1, words.2, words.3].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Creates a digest from 64 hexadecimal digits in lower case; nil for any other text.
    public init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 64 else { return nil }
        var words: [UInt64] = []
        for start in stride(from: 0, to: 64, by: 16) {
            var word: UInt64 = 0
            for digit in digits[start..<start + 16] {
                switch digit {
                case 0x30...0x39: word = word << 4 | UInt64(digit - 0x30)
                case 0x61...0x66: word = word << 4 | UInt64(digit - 0x57)
                default: return nil
                }
            }
            words.append(word)
        }
        self.init(words[0], words[1], words[2], words[3])
    }
}

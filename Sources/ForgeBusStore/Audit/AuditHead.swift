/// One point of an audit's chain: the number and the hash of an entry.
///
/// The hash depends on the entry and all entries before it. If you keep a head outside the store, you can later find
/// out whether somebody has changed or removed entries up to that head.
public struct AuditHead: Hashable, Sendable {
    /// The number of the entry; 0 before the first entry.
    public var number: Int64
    /// The hash of the entry; all zeros before the first entry.
    public var hash: Fingerprint

    /// Creates the point after the entry with this number and this hash.
    public init(_ number: Int64, _ hash: Fingerprint) {
        self.number = number
        self.hash = hash
    }

    /// The point before the first entry.
    public static let start = AuditHead(0, Fingerprint(0, 0, 0, 0))
}

extension AuditHead: CustomStringConvertible {
    /// The number, a colon and the hash as 64 hexadecimal digits.
    public var description: String { "\(number):\(hash.hexadecimal)" }

    /// Creates the point from its ``description``; nil for any other text.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[0]), number >= 0,
            let hash = Fingerprint(hexadecimal: String(parts[1]))
        else { return nil }
        self.init(number, hash)
    }
}

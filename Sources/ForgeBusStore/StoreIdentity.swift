/// Creates random identities that distinguish stores from each other.
public enum StoreIdentity {
    /// Returns a new random identity: 16 hexadecimal digits, of which the first is not 0.
    public static func random() -> String { String(UInt64.random(in: 1 << 60 ... .max), radix: 16) }
}

/// Creates random identities that distinguish stores from each other.
public enum StoreIdentity {
    /// Returns a new random identity: 16 hexadecimal digits.
    public static func random() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// What tells one store from every other.
public enum StoreIdentity {
    /// An identity that no other store has: 16 hexadecimal digits, drawn by chance.
    public static func random() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

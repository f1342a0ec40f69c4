#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The addresses of one sender: one IPv4 address, or all IPv6 addresses with the same first 64 bits.
struct AddressBlock: Hashable, CustomStringConvertible {
    private let bytes: [UInt8]

    /// Creates the block of an address as libzmq reports it; nil for a text that is no IP address, as for an `ipc`
    /// peer.
    init?(_ text: String) {
        // An address that is valid on only one network interface ends in % and the name of the interface.
        let text = String(text.prefix { $0 != "%" })
        var short = in_addr()
        if inet_pton(AF_INET, text, &short) == 1 {
            bytes = withUnsafeBytes(of: short) { Array($0) }
            return
        }
        var long = in6_addr()
        guard inet_pton(AF_INET6, text, &long) == 1 else { return nil }
        let all = withUnsafeBytes(of: long) { Array($0) }
        // A socket for both kinds of address reports an IPv4 address with the prefix ::ffff:.
        let isShort = all.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
        bytes = isShort ? Array(all[12...]) : Array(all[..<8])
    }

    /// The block as text, such as `192.0.2.1` or `2001:db8:0:1::/64`.
    var description: String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 8, by: 2).map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }
        return groups.joined(separator: ":") + "::/64"
    }
}

import NIOCore

/// An address from which clients connect: an IPv4 address, or the first 64 bits of an IPv6 address.
///
/// One client usually has all IPv6 addresses with the same first 64 bits.
struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
    /// The bytes of the IPv4 address, or the first 64 bits of the IPv6 address.
    private let network: UInt64
    private let isIPv4: Bool

    /// The address of a connection's other side; nil for a connection without an IP address.
    init?(_ address: SocketAddress) {
        switch address {
        case .v4(let address): self.init(withUnsafeBytes(of: address.address.sin_addr) { Array($0) })
        case .v6(let address): self.init(withUnsafeBytes(of: address.address.sin6_addr) { Array($0) })
        case .unixDomainSocket: return nil
        }
    }

    /// The address in a header of a proxy, such as `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` or `[2001:db8::1]:443`.
    init?(header text: Substring) {
        var text = String(text.filter { $0 != "\"" }.trimmed)
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            text = String(text[text.index(after: text.startIndex)..<end])
        } else if text.count(where: { $0 == ":" }) == 1 {
            text = String(text.prefix { $0 != ":" })
        }
        guard let address = try? SocketAddress(ipAddress: text, port: 0) else { return nil }
        self.init(address)
    }

    private init(_ bytes: [UInt8]) {
        let bytes = HostAddress.plain(bytes)
        isIPv4 = bytes.count == 4
        network = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The IPv4 address, or the IPv6 prefix such as `2001:db8::/64`.
    var description: String {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: network >> (56 - 8 * $0)) }
        let address = HostAddress(bytes: isIPv4 ? bytes.suffix(4) : bytes + [UInt8](repeating: 0, count: 8))
        return (address?.text ?? "") + (isIPv4 ? "" : "/64")
    }
}

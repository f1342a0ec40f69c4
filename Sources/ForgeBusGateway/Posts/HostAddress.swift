import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An IP address of a host, and whether posts may go there.
struct HostAddress: Hashable, Sendable {
    /// The address in numbers: `192.0.2.1` or `2001:db8::1`.
    let text: String
    /// Whether the address is link-local: 169.254.0.0/16, also as an IPv4-mapped IPv6 address, or fe80::/10.
    ///
    /// Clouds serve the credentials of a machine at such an address, to everything on the machine.
    let isLinkLocal: Bool

    /// The addresses of a host name or of an address in numbers, in the order in which they should be tried.
    ///
    /// The call blocks its thread until the resolver of the system answers.
    ///
    /// - Returns: The addresses; empty if the resolver does not find the name.
    static func addresses(of host: String) -> [HostAddress] {
        var hints = addrinfo()
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        return sequence(first: first) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { $0.flatMap(address) }
    }

    private static func address(_ info: UnsafeMutablePointer<addrinfo>) -> HostAddress? {
        guard let address = info.pointee.ai_addr else { return nil }
        switch info.pointee.ai_family {
        case AF_INET:
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                HostAddress(bytes: withUnsafeBytes(of: pointer.pointee.sin_addr) { Array($0) })
            }
        case AF_INET6:
            return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                HostAddress(bytes: withUnsafeBytes(of: pointer.pointee.sin6_addr) { Array($0) })
            }
        default: return nil
        }
    }

    /// Makes the address from its 4 or 16 bytes.
    init?(bytes: [UInt8]) {
        // An IPv4-mapped address (::ffff:192.0.2.1) is the IPv4 address in it.
        let isMapped = bytes.count == 16 && bytes.prefix(12).elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
        let bytes = isMapped ? Array(bytes.suffix(4)) : bytes
        guard let packed = try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0),
            let text = packed.ipAddress
        else { return nil }
        self.text = text
        isLinkLocal =
            bytes.count == 4 ? bytes[0] == 169 && bytes[1] == 254 : bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }
}

import ForgeLocks
import NIOCore
import NIOPosix

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
    /// Whether the address is link-local, or that of the metadata service of a cloud.
    ///
    /// Clouds serve the credentials of a machine at such addresses, to everything on the machine.
    let isLocalService: Bool

    /// Makes the address from its 4 or 16 bytes.
    init?(bytes: [UInt8]) {
        let bytes = Self.plain(bytes)
        guard let packed = try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0),
            let text = packed.ipAddress
        else { return nil }
        self.text = text
        isLocalService =
            Self.localServices.contains { bytes.count == $0.size && bytes.starts(with: $0.prefix) }
            || bytes.count == 16 && bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }

    /// Makes the address from its usual form in numbers; nil for any other text.
    init?(text: String) {
        guard let address = try? SocketAddress(ipAddress: text, port: 0), address.ipAddress == text.lowercased() else {
            return nil
        }
        switch address {
        case .v4(let address): self.init(bytes: withUnsafeBytes(of: address.address.sin_addr) { Array($0) })
        case .v6(let address): self.init(bytes: withUnsafeBytes(of: address.address.sin6_addr) { Array($0) })
        case .unixDomainSocket: return nil
        }
    }

    /// The prefixes of link-local addresses and of the metadata services of clouds; fe80::/10 is checked separately.
    private static let localServices: [(prefix: [UInt8], size: Int)] = [
        // 169.254.0.0/16
        ([169, 254], 4),
        // 100.100.100.200, of Alibaba
        ([100, 100, 100, 200], 4),
        // fd00:ec2::/32, of AWS
        ([0xFD, 0x00, 0x0E, 0xC2], 16),
        // fd20:ce::254, of Google
        ([0xFD, 0x20, 0x00, 0xCE] + [UInt8](repeating: 0, count: 10) + [0x02, 0x54], 16),
    ]

    /// The IPv4 address that an IPv6 address stands for (::ffff:192.0.2.1, 64:ff9b::192.0.2.1); otherwise the same bytes.
    static func plain(_ bytes: [UInt8]) -> [UInt8] {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
        let isIPv4 = bytes.count == 16 && (bytes.starts(with: mapped) || bytes.starts(with: translated))
        return isIPv4 ? Array(bytes.suffix(4)) : bytes
    }
}

extension HostAddress {
    /// Threads for look-ups only: the system's resolver blocks its thread, and other work must not wait for a look-up.
    private static let resolver: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 16)
        pool.start()
        return pool
    }()

    /// The addresses of a host name, in the order in which they should be tried; empty if the resolver finds none.
    ///
    /// The look-up itself cannot be cancelled: its result is dropped if it comes too late.
    ///
    /// - Parameters:
    ///   - host: The host name.
    ///   - deadline: When the result is needed.
    /// - Returns: The addresses; nil if the resolver has not answered until the deadline, or the task is cancelled.
    static func lookUp(_ host: String, until deadline: ContinuousClock.Instant) async -> [HostAddress]? {
        // The first end counts: the result, the deadline or a cancellation.
        let found = OneShot<[HostAddress]?>()
        let alarm = Task {
            try await Task.sleep(until: deadline, clock: .continuous)
            found.set(nil)
        }
        defer { alarm.cancel() }
        resolver.submit { state in found.set(state == .active ? addresses(of: host) : nil) }
        return (try? await found.value()) ?? nil
    }

    private static func addresses(of host: String) -> [HostAddress] {
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
}

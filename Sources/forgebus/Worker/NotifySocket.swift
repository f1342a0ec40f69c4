import ForgeBusProtocol
import Foundation

#if canImport(Musl)
import Musl
#endif

/// The datagram socket on which a service manager listens to its service (sd_notify(3)).
struct NotifySocket: Sendable {
    /// Why the service manager could not be notified.
    struct Unheard: Error, CustomStringConvertible {
        let description: String
    }

    /// An absolute path, or `@` and the name of an abstract socket.
    let address: String

    /// Reads the socket's address from the environment of the process.
    ///
    /// - Returns: Nil if the environment has no address, because then no service manager waits for notices.
    init?(environment: [String: String]) {
        guard let address = environment["NOTIFY_SOCKET"], !address.isEmpty else { return nil }
        self.address = address
    }

    /// Sends one datagram; waits at most 5 seconds for a slow receiver.
    ///
    /// Each datagram has its own socket, so that between two notices no socket is open that commands could inherit.
    ///
    /// - Throws: ``Unheard`` if the address is malformed or too long, or if the datagram cannot be sent.
    func send(_ text: String) throws(Unheard) {
        var (target, length) = try target()
        let descriptor = socket(AF_UNIX, Self.kind, 0)
        guard descriptor >= 0 else { throw Errors.unheard(address, errno) }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let bytes = Array(text.utf8)
        let sent = withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, Self.quietly, $0, length)
            }
        }
        guard sent == bytes.count else { throw Errors.unheard(address, errno) }
    }

    /// The address in the system's form, and its length.
    ///
    /// An abstract address begins with a zero byte, and does not end with a zero byte (unix(7)).
    private func target() throws(Unheard) -> (sockaddr_un, socklen_t) {
        var bytes = Array(address.utf8)
        guard bytes.first == UInt8(ascii: "/") || bytes.first == UInt8(ascii: "@"), bytes.count > 1 else {
            throw Errors.noSocketAddress(address)
        }
        let isAbstract = bytes[0] == UInt8(ascii: "@")
        if isAbstract { bytes[0] = 0 } else { bytes.append(0) }
        var target = sockaddr_un()
        let most = MemoryLayout.size(ofValue: target.sun_path)
        guard bytes.count <= most else {
            throw Errors.longSocketAddress(address, most: most - 1)
        }
        target.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: bytes) }
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
        return (target, socklen_t(isAbstract ? offset + bytes.count : MemoryLayout<sockaddr_un>.size))
    }

    #if canImport(Glibc)
    private static let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #elseif canImport(Musl)
    private static let kind = SOCK_DGRAM | SOCK_CLOEXEC
    #else
    private static let kind = SOCK_DGRAM
    #endif
    #if os(Linux)
    /// With this flag, the call fails if there is no receiver, and no signal ends the process.
    private static let quietly = Int32(MSG_NOSIGNAL)
    #else
    private static let quietly: Int32 = 0
    #endif
}

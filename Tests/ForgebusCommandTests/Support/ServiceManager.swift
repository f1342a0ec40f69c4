import Foundation
import Testing

/// What a service manager hears of a process that has its socket.
final class ServiceManager: Sendable {
    /// The value of NOTIFY_SOCKET.
    let address: String
    private let descriptor: Int32

    #if os(Linux)
    private static let datagrams = Int32(SOCK_DGRAM.rawValue)
    #else
    private static let datagrams = SOCK_DGRAM
    #endif

    /// Listens at an absolute path where nothing is yet, or at a name behind an `@`.
    init(at address: String) throws {
        self.address = address
        descriptor = socket(AF_UNIX, Self.datagrams, 0)
        try #require(descriptor >= 0)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // Whoever waits here for what never comes finds out.
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var own = sockaddr_un()
        own.sun_family = sa_family_t(AF_UNIX)
        let isAbstract = address.hasPrefix("@")
        let name = isAbstract ? [0] + Array(address.utf8.dropFirst()) : Array(address.utf8)
        withUnsafeMutableBytes(of: &own.sun_path) { $0.copyBytes(from: name) }
        let length = isAbstract ? 2 + name.count : MemoryLayout<sockaddr_un>.size
        let result = withUnsafePointer(to: &own) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(length)) }
        }
        try #require(result == 0)
    }

    deinit { close(descriptor) }

    /// The next notice, line by line; on a thread of its own, because it waits.
    func next() async throws -> [String] {
        let lines = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: self.receive(0)) }
        }
        return try #require(lines, "no notice came")
    }

    /// Whether there is none that was not taken.
    var hasHeardNothing: Bool { receive(Int32(MSG_DONTWAIT)) == nil }

    private func receive(_ flags: Int32) -> [String]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, flags)
        guard count >= 0 else { return nil }
        return String(decoding: buffer[..<count], as: UTF8.self).components(separatedBy: "\n")
    }
}

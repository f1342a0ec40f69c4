import Foundation
import Testing

/// A peer that speaks the transport by hand (ZMTP 3.0 without security): it can send what no library would, and stop
/// reading whenever it likes.
final class RawPeer {
    private let descriptor: Int32
    private var received: ArraySlice<UInt8> = []

    private static let isMore: UInt8 = 1
    private static let isLong: UInt8 = 2
    private static let isCommand: UInt8 = 4
    /// That the worker ends the connection is an error here, not the end of the tests.
    #if os(Linux)
    private static let noSignal = Int32(MSG_NOSIGNAL)
    #else
    private static let noSignal: Int32 = 0
    #endif

    /// Connects to an `ipc` endpoint and shakes hands as a DEALER.
    init(_ endpoint: String) throws {
        descriptor = try Self.open(String(endpoint.trimmingPrefix("ipc://")))
        let padding = [UInt8](repeating: 0, count: 8)
        let mechanism = Array("NULL".utf8) + [UInt8](repeating: 0, count: 16)
        try write([0xFF] + padding + [0x7F, 3, 0] + mechanism + [UInt8](repeating: 0, count: 32))
        _ = try read(64)
        try write(frame(Self.ready, flags: Self.isCommand))
        _ = try nextFrame()
    }

    /// Connects and says nothing.
    init(silentlyTo endpoint: String) throws {
        descriptor = try Self.open(String(endpoint.trimmingPrefix("ipc://")))
    }

    deinit { close() }

    func close() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Sends one message.
    func send(_ frames: [[UInt8]]) throws {
        for (index, content) in frames.enumerated() {
            try write(frame(content, flags: index < frames.count - 1 ? Self.isMore : 0))
        }
    }

    /// The next message.
    func receive() throws -> [[UInt8]] {
        var frames: [[UInt8]] = []
        while true {
            let (flags, content) = try nextFrame()
            if flags & Self.isCommand != 0 { continue }
            frames.append(content)
            if flags & Self.isMore == 0 { return frames }
        }
    }

    /// Sends bytes as they are.
    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { sendto(descriptor, $0.baseAddress, $0.count, Self.noSignal, nil, 0) }
            guard count > 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            rest = rest.dropFirst(count)
        }
    }

    /// Whether the worker ends the connection; waits for that, at most as long as for any answer.
    func isCutOff() -> Bool {
        do {
            while true { _ = try read(1) }
        } catch {
            return (error as? POSIXError)?.code != .EAGAIN
        }
    }

    private static let ready: [UInt8] =
        [5] + Array("READY".utf8) + [11] + Array("Socket-Type".utf8) + [0, 0, 0, 6] + Array("DEALER".utf8)

    private func frame(_ content: [UInt8], flags: UInt8) -> [UInt8] {
        guard content.count > 255 else { return [flags, UInt8(content.count)] + content }
        let size = (0..<8).reversed().map { UInt8(truncatingIfNeeded: content.count >> ($0 * 8)) }
        return [flags | Self.isLong] + size + content
    }

    private func nextFrame() throws -> (flags: UInt8, content: [UInt8]) {
        let flags = try read(1)[0]
        let size = try read(flags & Self.isLong == 0 ? 1 : 8).reduce(0) { $0 << 8 | Int($1) }
        return (flags, try read(size))
    }

    private func read(_ count: Int) throws -> [UInt8] {
        while received.count < count {
            var buffer = [UInt8](repeating: 0, count: 65536)
            let size = recv(descriptor, &buffer, buffer.count, 0)
            guard size != 0 else { throw POSIXError(.ECONNRESET) }
            guard size > 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            received += buffer[..<size]
        }
        defer { received = received.dropFirst(count) }
        return Array(received.prefix(count))
    }

    private static func open(_ path: String) throws -> Int32 {
        #if os(Linux)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        try #require(descriptor >= 0)
        // Whoever waits here for what never comes finds out.
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
        return descriptor
    }
}

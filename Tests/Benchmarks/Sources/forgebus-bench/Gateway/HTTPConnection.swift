import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A connection to an HTTP server, with blocking calls, as the client in C is for ZeroMQ.
final class HTTPConnection {
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 1 << 20)
    private var count = 0

    /// The latest answer, with its header.
    var answer: String { String(decoding: buffer[..<count], as: UTF8.self) }

    /// Connects to a port of the loopback address.
    init(port: UInt16) throws {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        var isOn: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        guard result == 0 else { throw TransportMeasureFailure(description: "no connection: \(errno)") }
    }

    deinit { close(descriptor) }

    /// Sends a request, and reads its answer.
    ///
    /// - Returns: The time until the first byte of the answer, and the answer's status.
    func ask(_ request: String) throws -> (firstByte: Duration, status: Int) {
        let bytes = Array(request.utf8)
        let start = ContinuousClock.now
        guard send(descriptor, bytes, bytes.count, 0) == bytes.count else { throw broken }
        count = try receive(after: 0)
        let firstByte = ContinuousClock.now - start
        var size: Int?
        while size == nil || count < size ?? 0 {
            if size == nil { size = self.size(of: buffer[..<count]) }
            guard let size else {
                count = try receive(after: count)
                continue
            }
            if size > buffer.count { buffer += [UInt8](repeating: 0, count: size - buffer.count) }
            if count < size { count = try receive(after: count) }
        }
        // After `HTTP/1.1 `.
        return (firstByte, Int(String(decoding: buffer[9..<12], as: UTF8.self)) ?? 0)
    }

    private func receive(after count: Int) throws -> Int {
        let room = buffer.count - count
        let received = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + count, room, 0) }
        guard received > 0 else { throw broken }
        return count + received
    }

    /// The size of the whole answer; nil before the end of its header.
    private func size(of answer: ArraySlice<UInt8>) -> Int? {
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let header = String(decoding: answer[..<end.lowerBound], as: UTF8.self).lowercased()
        let length = header.firstMatch(of: #/content-length: ([0-9]+)/#).flatMap { Int($0.output.1) }
        return end.upperBound + (length ?? 0)
    }

    private var broken: TransportMeasureFailure {
        TransportMeasureFailure(description: "the connection broke: \(errno)")
    }
}

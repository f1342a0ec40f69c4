import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// A listener that speaks ZeroMQ with a mechanism that nobody knows, made without libzmq.
struct StrangeListener {
    private let descriptor: Int32
    private let path: String

    init?(path: String) {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, listen(descriptor, 1) == 0 else { return nil }
    }

    /// Greets a peer, waits until it has gone for that, and listens no more.
    func turnAwayOne() async {
        await withCheckedContinuation { continuation in
            Thread {
                let peer = accept(descriptor, nil, nil)
                var greeting = [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0] + Array("STRANGE".utf8)
                greeting += Array(repeating: 0, count: 64 - greeting.count)
                _ = send(peer, greeting, greeting.count, Int32(MSG_NOSIGNAL))
                var rest = [UInt8](repeating: 0, count: 256)
                while read(peer, &rest, rest.count) > 0 {}
                close(peer)
                close(descriptor)
                unlink(path)
                continuation.resume()
            }.start()
        }
    }
}

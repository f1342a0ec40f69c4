import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// A listening local socket, made without libzmq.
struct UnixListener {
    private let descriptor: Int32

    init?(path: String) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        guard descriptor >= 0, withAddress(address, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 1) == 0
        else {
            return nil
        }
    }

    func closeWithoutRemoving() { close(descriptor) }
}

/// A TCP connection to this machine, made without libzmq.
final class RawConnection {
    private let descriptor: Int32

    /// One that is not connected yet.
    init() { descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }

    convenience init?(port: UInt16) {
        self.init()
        guard descriptor >= 0, connect(port: port) else { return nil }
    }

    @discardableResult
    func connect(port: UInt16) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withAddress(address) { Glibc.connect(descriptor, $0, $1) } == 0
    }

    deinit { close(descriptor) }

    /// Sends as much as the peer takes before it closes.
    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let result = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if result <= 0 { return }
            sent += result
        }
    }

    /// Reads until that many bytes are there, or the peer closes.
    func read(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var received = 0
        while received < count {
            let result = bytes.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress! + received, count - received, 0)
            }
            if result <= 0 { break }
            received += result
        }
        return Array(bytes.prefix(received))
    }

    /// Reads until the peer closes the connection.
    func readToEnd() {
        while !read(4096).isEmpty {}
    }
}

/// A listening TCP socket that accepts in the kernel and never reads.
final class SilentListener {
    private let descriptor: Int32
    let port: UInt16

    init?() {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        guard listener >= 0, withAddress(address, { bind(listener, $0, $1) }) == 0, listen(listener, 8) == 0 else {
            return nil
        }
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) }
        }
        guard result == 0 else { return nil }
        descriptor = listener
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}

private func withAddress<Address>(_ address: Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<Address>.size))
        }
    }
}

/// Uses up every descriptor the process may have.
///
/// - Returns: What was opened.
func fillDescriptors() -> [Int32] {
    var opened: [Int32] = []
    while true {
        let descriptor = open("/dev/null", O_RDONLY)
        if descriptor < 0 { return opened }
        opened.append(descriptor)
    }
}

func closeDescriptors(_ descriptors: [Int32]) {
    for descriptor in descriptors { close(descriptor) }
}

/// The process's limit of open files.
func softLimit() -> Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(limit.rlim_cur)
}

func setSoftLimit(_ value: Int) throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = rlim_t(value)
    guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
        throw CocoaError(.featureUnsupported)
    }
}

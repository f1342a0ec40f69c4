#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The path of a socket file to create, with a check that the path is free.
///
/// libzmq removes any file with this path before it binds. So libzmq could take the path from another program that
/// listens there, or delete a file that is not a socket. The check detects both cases before the bind.
struct IPCPath {
    let path: String

    /// Throws if binding would take the endpoint from another program or delete a file that is not a socket.
    func checkFree() throws(ZeroMQError) {
        var information = stat()
        guard lstat(path, &information) == 0 else { return }
        guard information.st_mode & S_IFMT == S_IFSOCK else {
            throw Errors.otherFile(at: path)
        }
        guard isServed() else { return }
        throw Errors.inUse("ipc://\(path)")
    }

    /// Whether a program accepts connections on the path; a socket file left by an ended program refuses them.
    private func isServed() -> Bool {
        let descriptor = makeSocket()
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { target in
            target.copyBytes(from: path.utf8.prefix(target.count - 1))
        }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // A full accept queue also means that a program listens.
        return result == 0 || errno == EAGAIN || errno == EINPROGRESS
    }

    private func makeSocket() -> Int32 {
        #if os(Linux)
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        #else
        socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
    }
}

extension Endpoint {
    /// The first part of an `ipc` endpoint's path that is a file, although the path continues after it.
    var fileInPlaceOfDirectory: String? {
        let path = text.dropFirst("ipc://".count)
        let parents = path.indices.dropFirst().filter { path[$0] == "/" }.map { String(path[..<$0]) }
        return parents.first { parent in
            var information = stat()
            return stat(parent, &information) == 0 && information.st_mode & S_IFMT != S_IFDIR
        }
    }
}

import CZeroMQ

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The text and the permissions of a small file, both read through one descriptor.
///
/// With one descriptor, nobody can replace the file between the two reads.
struct CertificateFile {
    let text: String
    /// Whether only the owner has access to the file.
    let isPrivate: Bool

    /// The maximum size of a file in bytes; a certificate needs only a few hundred.
    private static let largestSize = 64 << 10

    init(reading path: String) throws(ZeroMQError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Errors.file(errno, "\(path) cannot be read") }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw Errors.file(errno, "\(path) cannot be read") }
        isPrivate = information.st_mode & 0o077 == 0
        text = String(decoding: try Self.bytes(of: descriptor, path), as: UTF8.self)
    }

    /// Creates a new file with the permissions `mode`, writes the text, and syncs the file to disk.
    static func create(_ path: String, _ text: String, mode: mode_t) throws(ZeroMQError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw Errors.file(errno, "\(path) cannot be created") }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Self.writeOnce(descriptor, $0) }
            guard count > 0 else {
                let error = errno
                unlink(path)
                throw Errors.file(error, "\(path) cannot be written")
            }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw Errors.file(errno, "\(path) cannot be written") }
    }

    static func remove(_ path: String) { unlink(path) }

    private static func bytes(of descriptor: Int32, _ path: String) throws(ZeroMQError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Errors.file(errno, "\(path) cannot be read") }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= largestSize else {
                throw Errors.certificateTooLarge(path, limit: largestSize)
            }
        }
    }

    private static func writeOnce(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        while true {
            let count = write(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 || errno != EINTR { return count }
        }
    }
}

import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What a command reads on its standard input: a file without a name.
///
/// Not a pipe: a command that does not read it cannot block or kill whoever writes, and nobody has to write while it
/// runs.
struct InputFile: ~Copyable {
    let descriptor: Int32

    /// The system did not let the file be made.
    struct Failure: Error, CustomStringConvertible {
        let number: Int32
        var description: String { "its input cannot be kept: \(String(cString: strerror(number)))" }
    }

    init(_ bytes: [UInt8]) throws(Failure) {
        descriptor = Self.anonymousFile()
        guard descriptor >= 0 else { throw Failure(number: errno) }
        var written = 0
        while written < bytes.count {
            // At an offset, so that the command's first read finds the beginning.
            let count = bytes[written...].withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, off_t(written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(number: errno) }
            written += count
        }
    }

    deinit { closeDescriptor(descriptor) }

    /// Ends its life here, and not after its last mention: the command must have got it.
    consuming func close() {}

    private static func anonymousFile() -> Int32 {
        let path = NSTemporaryDirectory() + "/forgebus-input-" + UUID().uuidString
        // Exclusive, so that a link somebody planted is not followed.
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { unlink(path) }
        return descriptor
    }
}

// Inside the type, `close` would be its own function.
private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

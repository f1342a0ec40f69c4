import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The standard input of a command, as a file without a name.
///
/// With a pipe, a command that does not read its input could block or kill the writer. With a file, nothing has to be
/// written while the command runs.
struct InputFile: ~Copyable {
    let descriptor: Int32

    /// The system could not create or fill the file.
    struct Failure: Error, CustomStringConvertible {
        let number: Int32
        var description: String { Errors.inputFile(number) }
    }

    init(_ bytes: [UInt8]) throws(Failure) {
        descriptor = Self.anonymousFile()
        guard descriptor >= 0 else { throw Failure(number: errno) }
        var written = 0
        while written < bytes.count {
            // At an offset, so that the command's first read starts at the beginning.
            let count = bytes[written...].withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, off_t(written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(number: errno) }
            written += count
        }
    }

    deinit { closeDescriptor(descriptor) }

    /// Closes the file; without this call after the command, Swift could close the file before the command starts.
    consuming func close() {}

    private static func anonymousFile() -> Int32 {
        let path = NSTemporaryDirectory() + "/forgebus-input-" + UUID().uuidString
        // Exclusive, so that a planted link is not followed.
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { unlink(path) }
        return descriptor
    }
}

// A separate function, because inside the type `close` would mean the method.
private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

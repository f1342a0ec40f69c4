import ForgeBusStore
import Foundation

/// The first 100 bytes of a file, which show whether the file is a store.
struct FileHeader {
    /// "FBS1", the application id of stores in SQLite's header.
    static let application: Int32 = 0x4642_5331

    private static let magic = Array("SQLite format 3\0".utf8)
    private let bytes: [UInt8]

    /// Reads the file without SQLite, which would begin to write to a file that is not a store.
    ///
    /// - Throws: `StoreError` with code `unsound` for a file that is not a store or does not use write-ahead logging;
    ///   `unavailable` or `io` for a file that cannot be read.
    init(of path: String) throws(StoreError) {
        // With O_NONBLOCK, `open` does not wait for a writer if the file is a named pipe.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Errors.failed("open", path, errno) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = pread(descriptor, &bytes, 100, 0)
        guard count >= 0 || errno == EISDIR || errno == ESPIPE else { throw Errors.failed("read", path, errno) }
        guard count == 100, Array(bytes.prefix(16)) == Self.magic else { throw Self.foreign(path, descriptor) }
        self.bytes = bytes
        guard integer(at: 68) == UInt32(Self.application) else { throw Self.foreign(path, descriptor) }
        // Unless both bytes are 2, SQLite ignores the write-ahead log, and loses the commits that are only in the log.
        guard bytes[18] == 2, bytes[19] == 2 else {
            throw Errors.withoutLog(path)
        }
    }

    private func integer(at offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func foreign(_ path: String, _ descriptor: Int32) -> StoreError {
        var status = stat()
        let kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
        if kind == S_IFDIR { return Errors.isDirectory(path) }
        return kind == S_IFREG && status.st_size == 0 ? Errors.isEmpty(path) : Errors.isForeign(path)
    }
}

import Foundation

/// A file that reserves room on the disk; the store removes the file when a commit needs the room.
///
/// Owned by the store's thread (``StoreLane``).
struct Reserve {
    let path: String
    let sizeInBytes: Int

    /// Whether the reserve file has its full size; always true for a reserve of 0 bytes.
    var isKept: Bool { sizeInBytes == 0 || Files.size(of: path) == Int64(sizeInBytes) }

    /// Writes every byte of the reserve file, because a file system may promise room that it does not have.
    ///
    /// - Returns: Whether the file has its full size now; if not, the method has removed the file.
    @discardableResult
    func take() -> Bool {
        if isKept { return true }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        if fill(descriptor) && fsync(descriptor) == 0 { return true }
        unlink(path)
        return false
    }

    /// Removes the reserve file, which frees its room.
    ///
    /// - Returns: Whether there was a reserve file.
    func giveUp() -> Bool { sizeInBytes > 0 && unlink(path) == 0 }

    private func fill(_ descriptor: Int32) -> Bool {
        // The bytes are random, because some file systems compress data.
        var generator = SystemRandomNumberGenerator()
        let words = (0..<8192).map { _ in generator.next() }
        return words.withUnsafeBytes { chunk in
            var rest = sizeInBytes
            while rest > 0 {
                let count = write(descriptor, chunk.baseAddress, min(rest, chunk.count))
                guard count > 0 else { return false }
                rest -= count
            }
            return true
        }
    }
}

import Foundation

/// Room on the disk that is taken before anybody needs it, and given up when a commit does.
///
/// Owned by the lane's thread.
struct Reserve {
    let path: String
    let sizeInBytes: Int

    /// Whether it is there, as large as it is to be.
    var isKept: Bool { sizeInBytes == 0 || Files.size(of: path) == Int64(sizeInBytes) }

    /// Takes the room, written byte for byte: what is only promised is not there when it is needed.
    ///
    /// - Returns: Whether the reserve is there now; a part of it is not kept.
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

    /// Gives the room to whoever writes next.
    ///
    /// - Returns: Whether there was any to give.
    func giveUp() -> Bool { sizeInBytes > 0 && unlink(path) == 0 }

    private func fill(_ descriptor: Int32) -> Bool {
        // Not zeros: file systems that compress would keep next to nothing.
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

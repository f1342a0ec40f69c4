import ForgeBusStore
import Foundation

/// Reads SQLite's write-ahead log in the same way as SQLite, to find damage that SQLite ignores.
///
/// SQLite stops at the first frame with a wrong checksum, and treats the rest as a commit that a power loss cut short.
/// But each commit is on the disk before SQLite writes the next commit, so a power loss can cut only the last commit
/// short. If a frame follows an unreadable commit, that commit was complete once and is damaged now. A damaged last
/// commit looks like one that was cut short. But the ``LockFile`` has the number of the last acknowledged commit, which
/// shows that the damaged commit is missing.
struct WriteAheadLog {
    /// The state of the log.
    enum Finding: Equatable {
        /// The log has no commits.
        case empty
        /// Every commit is readable, except perhaps the last one, which was cut short.
        case whole(commits: Int)
        /// Commits that were on the disk are damaged.
        case damaged
    }

    private static let headerSize = 32
    private static let frameHeaderSize = 24

    private let bytes: UnsafeRawBufferPointer
    private let pageSize: Int
    private let isBigEndian: Bool

    /// The state of the log at `path`; ``Finding/empty`` if there is no log.
    static func finding(at path: String) throws(StoreError) -> Finding {
        guard let size = Files.size(of: path), size > 0 else { return .empty }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Errors.failed("open", path, errno) }
        close(descriptor)
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
            throw Errors.failed("read", path, EIO)
        }
        return data.withUnsafeBytes { finding(in: $0) }
    }

    static func finding(in bytes: UnsafeRawBufferPointer) -> Finding {
        // If the log is too short or all zeros, the power failed while the log was created.
        guard bytes.count >= headerSize, bytes.contains(where: { $0 != 0 }) else { return .empty }
        guard let log = WriteAheadLog(bytes) else { return .damaged }
        return log.finding()
    }

    /// Reads the log's header; nil if the header is damaged.
    ///
    /// SQLite syncs the header before it writes the first frame, so a power loss cannot leave a part of the header.
    private init?(_ bytes: UnsafeRawBufferPointer) {
        let magic = Self.word(bytes, 0)
        guard magic & 0xFFFF_FFFE == 0x377F_0682 else { return nil }
        self.bytes = bytes
        isBigEndian = magic & 1 == 1
        pageSize = Int(Self.word(bytes, 8))
        guard pageSize >= 512, pageSize <= 65536, pageSize.nonzeroBitCount == 1 else { return nil }
        let sum = sum(over: 0..<24, from: (0, 0))
        guard sum == (Self.word(bytes, 24), Self.word(bytes, 28)) else { return nil }
    }

    private func finding() -> Finding {
        var sums = (Self.word(bytes, 24), Self.word(bytes, 28))
        var commits = 0
        var afterCommit = 0
        var frame = 0
        while frame < frameCount, let next = sum(ofFrame: frame, from: sums) {
            sums = next
            frame += 1
            if isCommit(frame - 1) {
                commits += 1
                afterCommit = frame
            }
        }
        if frame == frameCount || !isBegunBehindACommit(since: afterCommit) { return .whole(commits: commits) }
        return .damaged
    }

    /// Whether the current frames from `frame` on contain the last frame of a commit, and a further frame after it.
    private func isBegunBehindACommit(since frame: Int) -> Bool {
        guard let end = (frame..<frameCount).first(where: { isCurrent($0) && isCommit($0) }) else { return false }
        return (end + 1..<frameCount).contains(where: isCurrent)
    }

    private var frameCount: Int { (bytes.count - Self.headerSize) / (Self.frameHeaderSize + pageSize) }

    private func offset(of frame: Int) -> Int { Self.headerSize + frame * (Self.frameHeaderSize + pageSize) }

    /// Whether the frame was written after the log last began again; earlier frames are in the main file already.
    private func isCurrent(_ frame: Int) -> Bool {
        let offset = offset(of: frame)
        return Self.word(bytes, offset + 8) == Self.word(bytes, 16)
            && Self.word(bytes, offset + 12) == Self.word(bytes, 20)
    }

    private func isCommit(_ frame: Int) -> Bool { Self.word(bytes, offset(of: frame) + 4) != 0 }

    /// The running checksum after a frame.
    ///
    /// The result is nil if the frame differs from what was written, or if it was written before the log last began
    /// again.
    private func sum(ofFrame frame: Int, from sums: (UInt32, UInt32)) -> (UInt32, UInt32)? {
        guard isCurrent(frame) else { return nil }
        let start = offset(of: frame)
        let head = sum(over: start..<start + 8, from: sums)
        let body = start + Self.frameHeaderSize
        let sum = sum(over: body..<body + pageSize, from: head)
        return sum == (Self.word(bytes, start + 16), Self.word(bytes, start + 20)) ? sum : nil
    }

    private func sum(over range: Range<Int>, from sums: (UInt32, UInt32)) -> (UInt32, UInt32) {
        var (first, second) = sums
        for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
            first &+= word(offset) &+ second
            second &+= word(offset + 4) &+ first
        }
        return (first, second)
    }

    private func word(_ offset: Int) -> UInt32 {
        let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}

import Foundation
import Testing

/// A file system of some megabytes, in memory, unmounted when the test lets go of it.
final class SmallDisk: Sendable {
    let path: String

    static let reason: Comment = "only root can mount a file system of its own, and only Linux has tmpfs"

    static var isPossible: Bool {
        #if os(Linux)
        guard geteuid() == 0, let disk = try? SmallDisk(sizeInBytes: 1 << 20) else { return false }
        return disk.has(".")
        #else
        false
        #endif
    }

    /// It could not be mounted.
    struct NotMounted: Error {}

    init(sizeInBytes: Int) throws {
        path = FileManager.default.temporaryDirectory.path + "/forgebus-disk-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard Self.mountTmpfs(at: path, sizeInBytes) else {
            try? FileManager.default.removeItem(atPath: path)
            throw NotMounted()
        }
    }

    deinit {
        #if os(Linux)
        umount2(path, Int32(MNT_DETACH))
        #endif
        rmdir(path)
    }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }

    /// Takes all the room that is left.
    func fill() throws {
        let descriptor = open(path + "/ballast", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(descriptor) }
        for size in [65536, 4096, 512, 1] {
            let block = [UInt8](repeating: 1, count: size)
            while write(descriptor, block, size) == size {}
        }
    }

    /// Gives it back.
    func empty() throws { try FileManager.default.removeItem(atPath: path + "/ballast") }

    private static func mountTmpfs(at path: String, _ sizeInBytes: Int) -> Bool {
        #if os(Linux)
        mount("tmpfs", path, "tmpfs", 0, "size=\(sizeInBytes)") == 0
        #else
        false
        #endif
    }
}

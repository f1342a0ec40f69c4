import Foundation

/// The directory of one sample, inside the directory for temporary files.
///
/// To measure another disk, set the environment variable `TMPDIR` to a directory on that disk.
struct BenchDirectory: Sendable {
    private let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("forgebus-bench-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

import ForgeBusProtocol
import ForgeBusStore
import Foundation

/// The paths of a store's files: the main file, and the files beside it.
struct StoreFiles: Sendable {
    /// The main file, with symbolic links resolved.
    let main: String
    /// The write-ahead log: commits that are not in `main` yet.
    var log: String { main + "-wal" }
    /// The lock file, which names the process that uses the store.
    var lock: String { main + ".lock" }
    /// The file that reserves room on the disk.
    var reserve: String { main + ".reserve" }
    /// The path of a store while it is being created.
    var unfinished: String { Self.unfinished(main) }

    /// The path of the unfinished file that becomes the file at `path`; no backup can have such a name.
    static func unfinished(_ path: String) -> String {
        let (directory, name) = PathText.parts(of: path)
        return PathText.absolute(".\(name)~", in: directory)
    }

    /// The path of the backup that is made before a migration to `version`.
    func copy(before version: Int) -> String { "\(main).before-v\(version)" }

    /// Whether the store itself uses `path`, now or later.
    func isOwn(_ path: String) -> Bool {
        guard path.hasPrefix(main) else { return false }
        let rest = path.dropFirst(main.count)
        return ["", "-wal", "-shm", "-journal", ".lock", ".reserve"].contains(String(rest))
            || rest.hasPrefix(".before-v")
    }

    var directory: String { PathText.parts(of: main).directory }

    /// Finds the real path of the store at `path`.
    ///
    /// - Throws: `StoreError` with code `unavailable` if the directory does not exist.
    init(path: String) throws(StoreError) {
        let (place, name) = PathText.parts(of: path)
        guard let directory = Self.real(place) else { throw Errors.noDirectory(place, errno) }
        guard Files.isDirectory(directory) else { throw Errors.noDirectory(place, ENOTDIR) }
        main = Self.real(path) ?? PathText.absolute(name, in: directory)
    }

    private static func real(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

/// System calls on files; the methods that throw turn a failed call into a `StoreError`.
enum Files {
    static func exists(_ path: String) -> Bool { size(of: path) != nil }

    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The size of a file in bytes; nil if there is no such file.
    static func size(of path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Removes a file, if there is one.
    static func remove(_ path: String) { unlink(path) }

    /// Creates an empty file that only its owner may read and write.
    static func create(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Errors.failed("create", path, errno) }
        fchmod(descriptor, 0o600)
        close(descriptor)
    }

    /// Waits until the file's content is on the disk.
    static func synchronize(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Errors.failed("open", path, errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Errors.failed("synchronize", path, errno) }
    }

    /// Moves a complete file to `place`, and replaces a file that is there; a power loss does not undo a finished move.
    static func move(_ path: String, to place: String, in directory: String) throws(StoreError) {
        guard rename(path, place) == 0 else { throw Errors.failed("rename", path, errno) }
        try synchronize(directory)
    }

    /// Moves a complete file to `place`, and throws an error if a file exists there.
    ///
    /// On a file system without hard links, the method may replace that file instead. A power loss does not undo a
    /// finished move.
    static func place(_ path: String, at place: String, in directory: String) throws(StoreError) {
        // Unlike `rename`, `link` never replaces a file. A file system without links supports only `rename`.
        if link(path, place) == 0 {
            unlink(path)
            return try synchronize(directory)
        }
        guard errno != EEXIST else { throw Errors.taken(place) }
        try move(path, to: place, in: directory)
    }

    /// The free bytes of the disk that holds `path`; nil if they are unknown.
    static func room(at path: String) -> Int64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return Int64(status.f_bavail) * Int64(status.f_frsize)
    }
}

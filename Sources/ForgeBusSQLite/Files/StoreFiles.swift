import ForgeBusProtocol
import ForgeBusStore
import Foundation

/// The files of a store: the one that its owner names, and what lies beside it.
struct StoreFiles: Sendable {
    /// The store itself, with no symbolic link on the way to it.
    let main: String
    /// What was committed and not yet brought home.
    var log: String { main + "-wal" }
    /// Who has the store.
    var lock: String { main + ".lock" }
    /// Room kept aside.
    var reserve: String { main + ".reserve" }
    /// A store that is being made, until it is whole.
    var unfinished: String { Self.unfinished(main) }

    /// Where what is to be at `path` is made, until it is whole: under no name that a copy, or anything else, can have.
    static func unfinished(_ path: String) -> String {
        let (directory, name) = PathText.parts(of: path)
        return PathText.absolute(".\(name)~", in: directory)
    }

    /// The copy made before a migration to `version`.
    func copy(before version: Int) -> String { "\(main).before-v\(version)" }

    /// Whether a store that is called so would write at `path` itself, now or later.
    func isOwn(_ path: String) -> Bool {
        guard path.hasPrefix(main) else { return false }
        let rest = path.dropFirst(main.count)
        return ["", "-wal", "-shm", "-journal", ".lock", ".reserve"].contains(String(rest))
            || rest.hasPrefix(".before-v")
    }

    var directory: String { PathText.parts(of: main).directory }

    /// - Throws: ``StoreError`` with code `unavailable` if the directory is not there.
    init(path: String) throws(StoreError) {
        let (place, name) = PathText.parts(of: path)
        guard let directory = Self.real(place), Files.isDirectory(directory) else {
            throw StoreError(
                .unavailable,
                "The directory \(place), in which the store is to be, is not there.",
                next: "Create it, writable for the worker only, and start again."
            )
        }
        main = Self.real(path) ?? PathText.absolute(name, in: directory)
    }

    private static func real(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

/// What the calls of the system say of files, as errors of a store.
enum Files {
    static func exists(_ path: String) -> Bool { size(of: path) != nil }

    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Nil when there is no such file.
    static func size(of path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Creates an empty file that only its owner may read.
    static func create(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw error("create", path, errno) }
        fchmod(descriptor, 0o600)
        close(descriptor)
    }

    /// The file's content is on the disk when this returns.
    static func synchronize(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw error("open", path, errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw error("synchronize", path, errno) }
    }

    /// Gives a whole file its place, over what was there; it is there after a power loss, too.
    static func move(_ path: String, to place: String, in directory: String) throws(StoreError) {
        guard rename(path, place) == 0 else { throw error("rename", path, errno) }
        try synchronize(directory)
    }

    /// Gives a whole file its place, where nothing is yet; it is there after a power loss, too.
    static func place(_ path: String, at place: String, in directory: String) throws(StoreError) {
        // Unlike `rename`, `link` puts nothing in place of another; a file system without links has `rename` only.
        if link(path, place) == 0 {
            unlink(path)
            return try synchronize(directory)
        }
        guard errno != EEXIST else { throw taken(place) }
        try move(path, to: place, in: directory)
    }

    /// There is something where a copy was to be.
    static func taken(_ path: String) -> StoreError {
        StoreError(
            .usage,
            "There is a file at \(path) already.",
            next: "Give the copy a name that is not taken, or move that file away."
        )
    }

    /// Free bytes where `path` is; nil when that cannot be told.
    static func room(at path: String) -> Int64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return Int64(status.f_bavail) * Int64(status.f_frsize)
    }

    static func error(_ what: String, _ path: String, _ code: Int32) -> StoreError {
        let refused = code == EACCES || code == EPERM || code == EROFS || code == ENOENT
        return StoreError(
            refused ? .unavailable : .inputOutput,
            "The system could not \(what) \(path): \(String(cString: strerror(code))).",
            next: "See to the disk, and to who owns the directory, and start again."
        )
    }
}

import ForgeBusProtocol

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The text of a configuration file, of limited size.
struct SourceFile {
    /// The most bytes a file may have: 1 MiB.
    ///
    /// Usual files have about a hundredth of that size, so a larger file was probably named by mistake.
    static let maximumSizeInBytes = 1024 * 1024

    /// The file's name as it was given.
    let name: String
    let text: String
    /// The absolute path of the file's directory, in which commands run.
    let directory: String

    /// Reads the file at `path`.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - mustBeOurs: Whether to refuse a file that users other than root and the reading user may write.
    /// - Throws: ``ConfigurationError`` with code `unreadable`, `untrusted`, `too_large` or `not_yaml`.
    init(contentsOf path: String, mustBeOurs: Bool = false) throws(ConfigurationError) {
        name = path
        directory = Self.absolute(PathText.parts(of: path).directory)
        text = try Self.text(Self.bytes(of: path, mustBeOurs: mustBeOurs), in: path)
    }

    init(_ text: String, name: String, directory: String) throws(ConfigurationError) {
        self.name = name
        self.text = text
        self.directory = Self.absolute(directory)
        if text.utf8.count > Self.maximumSizeInBytes { throw Self.tooLarge(name) }
    }

    private static func absolute(_ path: String) -> String {
        // If the process's current directory was removed, the path cannot be made absolute.
        guard let here = getcwd(nil, 0) else { return path.isEmpty ? "." : path }
        defer { free(here) }
        return PathText.absolute(path, in: String(cString: here))
    }

    private static func text(_ bytes: [UInt8], in path: String) throws(ConfigurationError) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        throw error(.notYAML, "The file is not UTF-8.", "Check the path; if it is right, save the file in UTF-8.", path)
    }

    /// Reads at most 64 KiB more than allowed, so that a device or a huge file costs little time and memory.
    private static func bytes(of path: String, mustBeOurs: Bool) throws(ConfigurationError) -> [UInt8] {
        // Not blocking: opening a named pipe would wait for a writer, which may never come.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable(path, errno) }
        defer { close(descriptor) }
        try checkThatItEnds(descriptor, path)
        if mustBeOurs { try checkThatNobodyElseWrites(descriptor, path) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count <= maximumSizeInBytes {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw unreadable(path, errno) }
            bytes += buffer[..<count]
        }
        throw tooLarge(path)
    }

    /// Checks that the open file is a file, or a pipe that this process inherited, such as /dev/stdin.
    private static func checkThatItEnds(_ descriptor: Int32, _ path: String) throws(ConfigurationError) {
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw unreadable(path, errno) }
        let kind = information.st_mode & S_IFMT
        // Reading a directory fails with a better reason.
        if kind == S_IFREG || kind == S_IFDIR { return }
        guard path == "/dev/stdin" || path.hasPrefix("/dev/fd/") else { throw notAFile(path) }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    }

    /// Checks the open file, so that nobody can replace the file between the check and the reading.
    private static func checkThatNobodyElseWrites(_ descriptor: Int32, _ path: String) throws(ConfigurationError) {
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw unreadable(path, errno) }
        guard information.st_uid == geteuid() || information.st_uid == 0 else {
            let message =
                "The file belongs to another user: its owner has the id \(information.st_uid), and this program runs "
                + "with the user id \(geteuid())."
            let next =
                "Make root the owner of the file (chown), and let the user that runs this program read it. Or run this "
                + "program as the owner of the file (sudo -u)."
            throw error(.untrusted, message, next, path)
        }
        guard information.st_mode & 0o022 == 0 else {
            throw error(.untrusted, "Users other than the owner may change the file.", "Run: chmod go-w \(path)", path)
        }
    }

    private static func unreadable(_ path: String, _ number: Int32) -> ConfigurationError {
        let cause = String(cString: strerror(number))
        let next =
            switch number {
            case ENOENT, ENOTDIR: "Correct the path, or create the file."
            case EISDIR: "Name a file instead of this directory."
            case EACCES: "Let the user that runs this program read the file and enter each directory of its path."
            case ELOOP: "A symbolic link in this path leads back to itself: correct the link."
            case EMFILE, ENFILE: "Close files, or raise the limit of open files (ulimit -n)."
            default: "Remove the cause that this message names, or name another file."
            }
        return error(.unreadable, "The file cannot be read: \(cause).", next, path)
    }

    private static func notAFile(_ path: String) -> ConfigurationError {
        error(
            .unreadable,
            "The path leads to no file, but to a named pipe, a socket or a device.",
            "Name a file.",
            path
        )
    }

    private static func tooLarge(_ path: String) -> ConfigurationError {
        let message = "The file has more than 1 MiB, the most that a worker file or an access file may have."
        return error(.tooLarge, message, "Check the path; if it is right, make the file smaller.", path)
    }

    private static func error(
        _ code: ConfigurationError.Code,
        _ message: String,
        _ next: String,
        _ path: String
    ) -> ConfigurationError {
        var error = ConfigurationError(code, message, next: next)
        error.file = path
        return error
    }
}

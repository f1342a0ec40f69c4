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
    /// The most bytes that most files may have: 1 MiB.
    ///
    /// Usual files have about a hundredth of that size, so a larger file was probably named by mistake.
    static let maximumSizeInBytes = 1024 * 1024
    /// The most bytes of an inventory: 2 MiB, which is enough for the most workers that it may have.
    static let maximumInventorySizeInBytes = 2 * maximumSizeInBytes

    /// The file's name as it was given.
    let name: String
    let text: String
    /// The absolute path of the file's directory, in which commands run.
    let directory: String

    /// Reads the file at `path`.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: The most bytes that the file may have.
    ///   - mustBeOurs: Whether to refuse a file that users other than root and the reading user may write.
    /// - Throws: ``ConfigurationError`` with code `unreadable`, `untrusted`, `too_large` or `not_yaml`.
    init(
        contentsOf path: String,
        atMost limit: Int = maximumSizeInBytes,
        mustBeOurs: Bool = false
    ) throws(ConfigurationError) {
        name = path
        directory = Self.absolute(PathText.parts(of: path).directory)
        text = try Self.text(Self.bytes(of: path, atMost: limit, mustBeOurs: mustBeOurs), in: path)
    }

    init(
        _ text: String,
        name: String,
        directory: String,
        atMost limit: Int = maximumSizeInBytes
    ) throws(ConfigurationError) {
        self.name = name
        self.text = text
        self.directory = Self.absolute(directory)
        if text.utf8.count > limit { throw Errors.fileTooLarge(limit: limit).inFile(name) }
    }

    /// Makes a file from bytes that have been read, such as the output of a program.
    init(bytes: [UInt8], name: String, directory: String) throws(ConfigurationError) {
        self.name = name
        self.directory = directory
        text = try Self.text(bytes, in: name)
    }

    private static func absolute(_ path: String) -> String {
        // If the process's current directory was removed, the path cannot be made absolute.
        guard let here = getcwd(nil, 0) else { return path.isEmpty ? "." : path }
        defer { free(here) }
        return PathText.absolute(path, in: String(cString: here))
    }

    private static func text(_ bytes: [UInt8], in path: String) throws(ConfigurationError) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        throw Errors.notUTF8.inFile(path)
    }

    /// Reads at most 64 KiB more than allowed, so that a device or a huge file costs little time and memory.
    private static func bytes(
        of path: String,
        atMost limit: Int,
        mustBeOurs: Bool
    ) throws(ConfigurationError) -> [UInt8] {
        // Not blocking: opening a named pipe would wait for a writer, which may never come.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Errors.unreadableFile(errno).inFile(path) }
        defer { close(descriptor) }
        try checkThatItEnds(descriptor, path)
        if mustBeOurs { try checkThatNobodyElseWrites(descriptor, path) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count <= limit {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Errors.unreadableFile(errno).inFile(path) }
            bytes += buffer[..<count]
        }
        throw Errors.fileTooLarge(limit: limit).inFile(path)
    }

    /// Checks that the open file is a file, or a pipe that this process inherited, such as /dev/stdin.
    private static func checkThatItEnds(_ descriptor: Int32, _ path: String) throws(ConfigurationError) {
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw Errors.unreadableFile(errno).inFile(path) }
        let kind = information.st_mode & S_IFMT
        // Reading a directory fails with a better reason.
        if kind == S_IFREG || kind == S_IFDIR { return }
        guard path == "/dev/stdin" || path.hasPrefix("/dev/fd/") else { throw Errors.notAFile.inFile(path) }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    }

    /// Checks the open file, so that nobody can replace the file between the check and the reading.
    private static func checkThatNobodyElseWrites(_ descriptor: Int32, _ path: String) throws(ConfigurationError) {
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw Errors.unreadableFile(errno).inFile(path) }
        guard information.st_uid == geteuid() || information.st_uid == 0 else {
            throw Errors.foreignFile(owner: information.st_uid).inFile(path)
        }
        guard information.st_mode & 0o022 == 0 else {
            throw Errors.fileOpenToOthers(path).inFile(path)
        }
    }
}

extension ConfigurationError {
    /// The same error about the file as a whole.
    fileprivate func inFile(_ path: String) -> ConfigurationError {
        var error = self
        error.file = path
        return error
    }
}

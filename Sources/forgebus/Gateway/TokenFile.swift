#if HTTP
import ForgeBusConfiguration
import ForgeBusGateway
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The file with the token of a gateway whose worker does not distinguish its senders.
///
/// Everybody on the machine can reach a port, but only the file's owner can read the token.
enum TokenFile {
    /// Reads the token from the file; makes a file with a new token if there is none.
    static func token(at path: String) throws(ConfigurationError) -> String {
        if let made = try make(path) { return made }
        return try content(of: path)
    }

    /// Makes the file; nil if it exists.
    private static func make(_ path: String) throws(ConfigurationError) -> String? {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            if errno == EEXIST { return nil }
            throw Errors.tokenFileNotCreated(path, errno)
        }
        let token = AccessToken.random()
        let bytes = Array("\(token)\n".utf8)
        let written = write(file, bytes, bytes.count)
        let why = written < 0 ? String(cString: strerror(errno)) : "the disk took only a part of it"
        guard close(file) == 0, written == bytes.count else {
            unlink(path)
            throw Errors.tokenFileNotWritten(path, why)
        }
        return token
    }

    private static func content(of path: String) throws(ConfigurationError) -> String {
        let text = try PrivateFile.text(at: path, option: "--token-file")
        guard text.hasPrefix(AccessToken.prefix), text.utf8.count == 47 else {
            throw Errors.noToken(in: path)
        }
        return text
    }
}

/// A file with a secret, which only its owner may read.
enum PrivateFile {
    /// The text of the file without spaces and line ends around it, at most 1,024 bytes.
    ///
    /// - Throws: `ConfigurationError` with code `bad_value` if the file cannot be read, is empty, or if other users may
    ///   read it.
    static func text(at path: String, option: String) throws(ConfigurationError) -> String {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else {
            let code = errno
            if code == ELOOP, (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil {
                throw Errors.linkToSecret(path, option)
            }
            throw Errors.secretNotOpened(path, option, code)
        }
        defer { close(file) }
        var information = stat()
        guard fstat(file, &information) == 0, information.st_mode & S_IFMT != S_IFDIR else {
            throw Errors.secretIsDirectory(path, option)
        }
        guard information.st_uid == geteuid() else {
            throw Errors.secretOfAnotherUser(path, option)
        }
        guard information.st_mode & 0o077 == 0 else {
            throw Errors.secretForOthers(path)
        }
        var bytes = [UInt8](repeating: 0, count: 1025)
        let count = max(0, read(file, &bytes, bytes.count))
        guard count < bytes.count else {
            throw Errors.longSecret(path, option)
        }
        let text = String(decoding: bytes.prefix(count), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else {
            throw Errors.emptySecret(path, option)
        }
        return text
    }
}
#endif

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
            let isFull = errno == ENOSPC || errno == EDQUOT
            throw error(
                "The file \(path) cannot be created: \(cause).",
                isFull
                    ? "Free disk space, or name another file with --token-file."
                    : "With --token-file, name a file in a directory that exists and in which this user may write."
            )
        }
        let token = AccessToken.random()
        let bytes = Array("\(token)\n".utf8)
        let written = write(file, bytes, bytes.count)
        let why = written < 0 ? cause : "the disk took only a part of it"
        guard close(file) == 0, written == bytes.count else {
            unlink(path)
            throw error(
                "The file \(path) cannot be written: \(why).",
                "Free disk space, or name another file with --token-file."
            )
        }
        return token
    }

    private static func content(of path: String) throws(ConfigurationError) -> String {
        let text = try PrivateFile.text(at: path, option: "--token-file")
        guard text.hasPrefix(AccessToken.prefix), text.utf8.count == 47 else {
            throw error(
                "The file \(path) has no token: a token is \(AccessToken.prefix) and 43 further characters.",
                "If the file is only for the token, remove it: at its next start, the gateway makes a new one with a new "
                    + "token. Otherwise name another file with --token-file."
            )
        }
        return text
    }

    private static var cause: String { String(cString: strerror(errno)) }

    private static func error(_ message: String, _ next: String) -> ConfigurationError {
        ConfigurationError(.badValue, message, next: next)
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
                throw error(
                    "The file \(path) is a symbolic link, and the gateway follows no link to a file with a secret.",
                    "With \(option), name the file to which the link leads."
                )
            }
            throw error(
                "The file \(path) cannot be opened: \(String(cString: strerror(code))).",
                option == "--token-file"
                    ? "Let this user read the file, or name another file with --token-file; a missing file is made, "
                        + "with a new token."
                    : "With \(option), name a file that exists and that this user may read."
            )
        }
        defer { close(file) }
        var information = stat()
        guard fstat(file, &information) == 0, information.st_mode & S_IFMT != S_IFDIR else {
            throw error("The path \(path) leads to a directory, and not to a file.", "With \(option), name a file.")
        }
        guard information.st_uid == geteuid() else {
            throw error(
                "The file \(path) belongs to another user.",
                "Make this user the owner of the file, or name another file with \(option)."
            )
        }
        guard information.st_mode & 0o077 == 0 else {
            throw error(
                "The permissions of the file \(path) let other users read or change it.",
                "Run: chmod 600 \(path.forShells)"
            )
        }
        var bytes = [UInt8](repeating: 0, count: 1025)
        let count = max(0, read(file, &bytes, bytes.count))
        guard count < bytes.count else {
            let next =
                option == "--token-file"
                ? "Name another file with --token-file; if that file does not exist, it is made, with a new token."
                : "Check that \(option) names the right file, or write a shorter secret into it."
            throw error("The file \(path) has more than 1,024 bytes, too many for this purpose.", next)
        }
        let text = String(decoding: bytes.prefix(count), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else {
            let next =
                option == "--token-file"
                ? "Remove the file: at its next start, the gateway makes a new one with a token."
                : "Write the secret into it."
            throw error("The file \(path) is empty.", next)
        }
        return text
    }

    private static func error(_ message: String, _ next: String) -> ConfigurationError {
        ConfigurationError(.badValue, message, next: next)
    }
}
#endif

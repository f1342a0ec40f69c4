import ForgeBusProtocol
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file with the secret that signs or verifies webhooks.
///
/// The file is read at each use, so that a new secret counts at once.
struct SigningSecret: Sendable {
    let path: String
    /// Whether the secret is a key of *Standard Webhooks*, and not any text.
    let isKey: Bool
    /// The place of the path in the file, for error messages.
    let place: Place

    /// Where the worker's file names the secret.
    struct Place: Sendable {
        let file: String
        let position: Position?
        let key: String
    }

    init(_ entry: Entry, path: String, isKey: Bool) {
        (self.path, self.isKey) = (path, isKey)
        place = Place(file: entry.problems.file, position: entry.position, key: entry.key)
    }

    /// The error if the file cannot be used; nil if it can.
    var error: ConfigurationError? {
        do throws(ConfigurationError) {
            if isKey { _ = try key() } else { _ = try text() }
            return nil
        } catch {
            return error
        }
    }

    /// The key of *Standard Webhooks*: the bytes after `whsec_`, which are written in Base64.
    func key() throws(ConfigurationError) -> [UInt8] {
        let text = try self.text()
        guard text.hasPrefix(Self.prefix), let key = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))),
            (24...64).contains(key.count)
        else {
            throw placed(Errors.notKey(inFile: path))
        }
        return Array(key)
    }

    /// The content of the file without the line end.
    func text() throws(ConfigurationError) -> String {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let data = try? Data(contentsOf: URL(filePath: path))
        else {
            let isDirectory = status.st_mode & S_IFMT == S_IFDIR
            let number = access(path, R_OK) == 0 ? 0 : errno
            throw placed(Errors.unreadableSecret(path, isDirectory: isDirectory, number))
        }
        guard status.st_mode & 0o007 == 0 else { throw placed(Errors.secretOpenToAll(path)) }
        guard data.count <= Self.maximumFileSize else {
            throw placed(Errors.secretTooLarge(path, sizeInBytes: data.count, limit: Self.maximumFileSize))
        }
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { throw placed(Errors.emptySecret(path)) }
        return text
    }

    static let prefix = "whsec_"
    private static let maximumFileSize = 4096

    private func placed(_ error: ConfigurationError) -> ConfigurationError {
        var error = error
        (error.file, error.line, error.column) = (place.file, place.position?.line, place.position?.column)
        error.key = place.key
        return error
    }
}

/// The secrets that a file names.
///
/// Owned by the code that reads the file.
final class SecretList {
    private(set) var secrets: [SigningSecret] = []
    private let directory: String

    /// - Parameter directory: The directory of the file; relative paths of secrets begin there.
    init(in directory: String) { self.directory = directory }

    /// Adds the secret whose path is the value of `entry`, and returns it; nil after recording a problem.
    func secret(_ entry: Entry, isKey: Bool) -> SigningSecret? {
        guard let path = entry.text("the path of a file") else { return nil }
        let secret = SigningSecret(entry, path: PathText.absolute(path, in: directory), isKey: isKey)
        secrets.append(secret)
        return secret
    }
}

public import ForgeBusWorker

/// The files of a worker that authenticates senders: the worker's own keys, and the access policy.
public struct KeyFiles: Hashable, Sendable {
    /// The path of the access file; <doc:TheAccessFile> describes its format.
    public var access: String
    /// The path of the worker's certificate with its secret key, `NAME.key_secret`; only the owner may read this file.
    public var certificate: String

    /// Makes the setting from the paths of both files.
    public init(access: String, certificate: String) {
        self.access = access
        self.certificate = certificate
    }

    /// Reads both files.
    func read() throws(ConfigurationError) -> WorkerAccess {
        let policy = try AccessFile(contentsOf: access).policy
        do throws(WorkerError) {
            return try .keyed(certificate: certificate, policy)
        } catch {
            throw ConfigurationError(.badValue, error.message, next: error.next)
        }
    }
}

extension BusWorker {
    /// Reads the access file again and replaces the whole policy.
    ///
    /// If the file is invalid, the worker keeps its current policy, counts the error, and records it in the audit.
    ///
    /// - Parameter path: The access file.
    /// - Throws: `WorkerError` with code `usage` if the worker has no keys; or the error that kept `run()` from
    ///   serving.
    public func rereadAccess(from path: String) async throws {
        let policy: AccessPolicy
        do throws(ConfigurationError) {
            policy = try AccessFile(contentsOf: path).policy
        } catch {
            return try await keepAccess(because: error.description.replacing("\n", with: "; "))
        }
        do {
            try await replaceAccess(with: policy, by: path)
        } catch let error as WorkerError where error.code == .definition {
            // The file contains the worker's own secret.
            try await keepAccess(because: "\(path): \(error)")
        }
    }
}

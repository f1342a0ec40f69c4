public import ForgeBusWorker

/// The files of a worker that authenticates senders: the worker's own keys, and the access policy.
///
/// While you replace the worker's own keys, give the old keys as ``previousCertificate``. See
/// <doc:TheAccessFile#Replacing-the-key-of-a-worker>.
public struct KeyFiles: Hashable, Sendable {
    /// The path of the access file; <doc:TheAccessFile> describes its format.
    public var access: String
    /// The path of the worker's certificate with its secret key, `NAME.key_secret`; only the owner may read this file.
    public var certificate: String
    /// The path of the worker's previous certificate, `NAME.key_secret`; nil, the default, if it has none.
    ///
    /// The worker uses the previous certificate at separate endpoints: those in ``WorkerSettings/previousListen``, or
    /// those under `previous` in the worker file.
    public var previousCertificate: String?

    /// Makes the value from the paths of the files.
    public init(access: String, certificate: String, previousCertificate: String? = nil) {
        self.access = access
        self.certificate = certificate
        self.previousCertificate = previousCertificate
    }

    /// Reads the files.
    func read() throws(ConfigurationError) -> WorkerKeys {
        let policy = try AccessFile(contentsOf: access).policy
        do throws(WorkerError) {
            var keys = WorkerKeys(access: try .keyed(certificate: certificate, policy))
            if let previousCertificate { keys.previous = try PreviousKey(certificate: previousCertificate) }
            return keys
        } catch {
            throw Errors.badValue(error)
        }
    }
}

/// The access policy and the keys that were read from a worker's key files.
struct WorkerKeys {
    var access = WorkerAccess.local
    /// The previous key, without endpoints; nil if the worker has no previous key.
    var previous: PreviousKey?

    /// A configuration with these keys, and without endpoints.
    var configuration: WorkerConfiguration {
        var configuration = WorkerConfiguration(endpoints: [])
        (configuration.access, configuration.previous) = (access, previous)
        return configuration
    }
}

extension BusWorker {
    /// Reads the access file again and replaces the whole policy.
    ///
    /// If the file is invalid, the worker keeps its current policy, counts the error, and records it in the audit.
    ///
    /// - Parameter path: The access file.
    /// - Throws: `WorkerError` with code `usage` if the worker has no keys or has ended; or the error that kept `run()`
    ///   from serving.
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

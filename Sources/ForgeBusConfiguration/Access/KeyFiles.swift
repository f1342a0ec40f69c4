public import ForgeBusWorker

/// Where a worker that tells senders apart finds its own keys, and who may do what.
public struct KeyFiles: Hashable, Sendable {
    /// The access file, as <doc:AccessFile> describes it.
    public var access: String
    /// The worker's certificate with its secret, `NAME.key_secret`, which nobody but its owner may read.
    public var certificate: String

    /// Names both files.
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
    /// Reads the access file anew and puts what it says in the place of what holds, as a whole.
    ///
    /// A file with an error changes nothing: the worker goes on with what held before, counts it, and tells its audit.
    ///
    /// - Parameter path: The access file.
    /// - Throws: What kept the worker from serving.
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
            // The worker's own secret stands in it.
            try await keepAccess(because: "\(path): \(error)")
        }
    }
}

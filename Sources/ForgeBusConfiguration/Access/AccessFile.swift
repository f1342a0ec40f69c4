public import ForgeBusWorker

/// The access policy of a worker, read from a file.
///
/// <doc:TheAccessFile> describes the format.
///
/// ```swift
/// let policy = try AccessFile(contentsOf: "access.yaml").policy
/// ```
///
/// A file with an error is refused as a whole.
public struct AccessFile: Sendable {
    /// The policy that the file describes.
    public let policy: AccessPolicy

    /// Reads the file at `path`.
    ///
    /// - Parameter path: The file, at most 1 MiB of UTF-8. Only its owner may write it, and the owner must be root or
    ///   the user that reads it.
    /// - Throws: ``ConfigurationError`` for the first problem; ``ConfigurationError/others`` contains the rest. The
    ///   code is `untrusted` for a file that other users may write.
    public init(contentsOf path: String) throws(ConfigurationError) {
        try self.init(SourceFile(contentsOf: path, mustBeOurs: true))
    }

    /// Reads an access policy from a text instead of a file.
    ///
    /// - Parameters:
    ///   - yaml: The text, at most 1 MiB.
    ///   - name: The file's name in errors.
    /// - Throws: ``ConfigurationError`` for the first problem; ``ConfigurationError/others`` contains the rest.
    public init(yaml: String, name: String) throws(ConfigurationError) {
        try self.init(SourceFile(yaml, name: name, directory: ""))
    }

    private init(_ source: SourceFile) throws(ConfigurationError) {
        let problems = Problems(file: source.name)
        let root = Document.root(of: source, problems, expecting: "the key principals")
        let definition = root.map { AccessDefinition($0) }
        try problems.check()
        do throws(WorkerError) {
            policy = try AccessPolicy(definition?.members ?? [], groups: definition?.groups ?? [:])
        } catch {
            throw ConfigurationError(.badValue, error.message, next: error.next)
        }
    }
}

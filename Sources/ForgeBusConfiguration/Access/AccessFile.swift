public import ForgeBusWorker

/// Who may do what, as a file says it.
///
/// The format is described in <doc:AccessFile>.
///
/// ```swift
/// let policy = try AccessFile(contentsOf: "access.yaml").policy
/// ```
///
/// A file is taken as a whole or not at all: nothing of one with an error counts.
public struct AccessFile: Sendable {
    /// The policy the file describes.
    public let policy: AccessPolicy

    /// Reads the file at `path`.
    ///
    /// - Parameter path: The file, at most 1 MiB of UTF-8, that nobody but its owner may write, who is root or the user
    ///   that reads it.
    /// - Throws: ``ConfigurationError``: the first thing that is wrong, with everything else in it; code `untrusted` for
    ///   a file that others may write.
    public init(contentsOf path: String) throws(ConfigurationError) {
        try self.init(SourceFile(contentsOf: path, mustBeOurs: true))
    }

    /// Reads `yaml` as if it were a file.
    ///
    /// - Parameters:
    ///   - yaml: The text, at most 1 MiB.
    ///   - name: What errors call it.
    /// - Throws: ``ConfigurationError``: the first thing that is wrong, with everything else in it.
    public init(yaml: String, name: String) throws(ConfigurationError) {
        try self.init(SourceFile(yaml, name: name, directory: ""))
    }

    private init(_ source: SourceFile) throws(ConfigurationError) {
        let problems = Problems(file: source.name)
        let root = Document.root(of: source, problems, expecting: "the key principals")
        let members = root.map { AccessDefinition($0).members } ?? []
        try problems.check()
        do throws(WorkerError) {
            policy = try AccessPolicy(members)
        } catch {
            throw ConfigurationError(.badValue, error.message, next: error.next)
        }
    }
}

public import ForgeBusProtocol
public import ForgeBusWorker
public import Foundation

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
    /// The tokens with which gateways let principals in; a worker itself does not use them.
    public let tokens: [Token]
    /// The principals in the order of the file, each with its keys, and its rights with those of its roles.
    public let members: [AccessPolicy.Member]
    /// The members of each group.
    public let groups: [Name: Set<Name>]
    let text: String

    /// A token of a principal, for requests over HTTP.
    public struct Token: Hashable, Sendable {
        /// The principal to whom the token belongs.
        public let principal: Name
        /// The SHA-256 of the token's text, in 64 lower-case hexadecimal digits.
        public let hash: String
        /// The rights that a bearer of the token may use; nil for all rights of the principal.
        public let scope: Set<Right>?
        /// When the token ends; nil if it does not end by itself.
        public let expiry: Date?
    }

    /// The first moment in UTC of a day such as `2027-01-31`; nil for a text that is no day of the calendar.
    public static func day(_ text: String) -> Date? {
        let style = Date.ISO8601FormatStyle().year().month().day()
        // The parser takes the 31st of February for a day in March.
        guard let date = try? Date(text, strategy: style), date.formatted(style) == text else { return nil }
        return date
    }

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
        let root = Document.root(of: source, problems, expecting: "the key `principals`")
        let definition = root.map { AccessDefinition($0) }
        try problems.check()
        tokens = definition?.tokens ?? []
        (members, groups, text) = (definition?.members ?? [], definition?.groups ?? [:], source.text)
        do throws(WorkerError) {
            policy = try AccessPolicy(members, groups: groups)
        } catch {
            throw Errors.badValue(error)
        }
    }
}

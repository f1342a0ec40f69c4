/// A topic to publish under or subscribe to: a text that ends in a separator, except ``everything``.
///
/// ZeroMQ compares prefixes, so a subscription to `job.1` would also match `job.10`. With the separator at its end,
/// `job.1.` matches only that topic and the topics below it.
///
/// ```swift
/// import ZeroMQ
///
/// let deployments = try TopicPrefix("deploy.eu-west-1")
/// print(deployments.text)  // deploy.eu-west-1.
/// ```
public struct TopicPrefix: Hashable, Sendable {
    /// The topic's text with the separator at its end; empty for ``everything``.
    public let text: String

    /// The character between the parts of a topic and at its end.
    public static let separator: Character = "."

    /// The largest size of a topic in bytes, with the separator at its end.
    public static let largestSize = 1024

    /// The prefix of all topics, only for subscribing; publishing under this prefix ends the process.
    public static let everything = TopicPrefix(checked: "")

    private init(checked text: String) { self.text = text }

    /// Makes a topic from a text.
    ///
    /// - Parameter text: UTF-8 without ASCII control characters, 2 to 1,024 bytes with the separator at the end. If the
    ///   separator is missing, this method adds it.
    /// - Throws: ``ZeroMQError`` with code `invalid_topic` for any other text.
    public init(_ text: String) throws(ZeroMQError) {
        let whole = text.last == Self.separator ? text : text + String(Self.separator)
        guard whole.utf8.count > 1, whole.utf8.count <= Self.largestSize,
            whole.utf8.allSatisfy({ $0 > 0x1F && $0 != 0x7F })
        else {
            throw Errors.notTopic(text, sizeInBytes: whole.utf8.count, limit: Self.largestSize)
        }
        self.init(checked: whole)
    }
}

extension TopicPrefix: CustomStringConvertible {
    /// The topic's text with the separator at its end.
    public var description: String { text }
}

/// What something is published under, and subscribed to: a text that ends in a separator, but for ``everything``.
///
/// ZeroMQ compares prefixes, so that a subscription to `job.1` gets `job.10`, too. With the separator at its end,
/// `job.1.` is a topic with everything below it and nothing beside it.
///
/// ```swift
/// import ZeroMQ
///
/// let deployments = try TopicPrefix("deploy.eu-west-1")
/// print(deployments.text)  // deploy.eu-west-1.
/// ```
public struct TopicPrefix: Hashable, Sendable {
    /// The topic with the separator at its end; empty for ``everything``.
    public let text: String

    /// What stands between the parts of a topic and at its end.
    public static let separator: Character = "."

    /// The bytes a topic may have, with the separator at its end.
    public static let largestSize = 1024

    /// To subscribe to all there is; nothing can be published under it.
    public static let everything = TopicPrefix(checked: "")

    private init(checked text: String) { self.text = text }

    /// Makes a topic.
    ///
    /// - Parameter text: UTF-8 without control characters of ASCII, up to 1,024 bytes with the separator at the end,
    ///   which is added where it is missing.
    /// - Throws: ``ZeroMQError`` with code `invalid_topic` for any other text.
    public init(_ text: String) throws(ZeroMQError) {
        let whole = text.last == Self.separator ? text : text + String(Self.separator)
        guard whole.utf8.count > 1, whole.utf8.count <= Self.largestSize,
            whole.utf8.allSatisfy({ $0 > 0x1F && $0 != 0x7F })
        else {
            throw ZeroMQError(
                .invalidTopic,
                "\(text.debugDescription) is no topic.",
                next: "Use 1 to \(Self.largestSize - 1) bytes without control characters."
            )
        }
        self.init(checked: whole)
    }
}

extension TopicPrefix: CustomStringConvertible {
    /// The topic with the separator at its end.
    public var description: String { text }
}

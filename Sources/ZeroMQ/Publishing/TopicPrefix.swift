/// What a subscription matches: the topics that begin with these bytes.
///
/// ZeroMQ compares prefixes, so a subscription to `job.1` would also match `job.10`. A prefix made of a text ends in a
/// separator: `job.1.` matches only that topic and the topics below it. A prefix made of bytes is as it is, for other
/// programs' topics.
///
/// ```swift
/// import ZeroMQ
///
/// let deployments = try TopicPrefix("deploy.eu-west-1")
/// print(deployments)  // deploy.eu-west-1.
/// let blocks = TopicPrefix(bytes: "hashblock".utf8)
/// ```
public struct TopicPrefix: Hashable, Sendable {
    /// The bytes; none for ``everything``.
    public let bytes: [UInt8]

    /// The character between the parts of a topic and at its end.
    public static let separator: Character = "."

    /// The largest size in bytes of a topic that is made of a text, with the separator at its end.
    public static let largestSize = 1024

    /// The prefix of all topics.
    public static let everything = TopicPrefix(bytes: [])

    /// Makes a prefix of any bytes.
    ///
    /// - Parameter bytes: The bytes; a message matches if its first frame begins with them.
    public init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

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
        self.init(bytes: whole.utf8)
    }
}

extension TopicPrefix: CustomStringConvertible {
    /// The bytes as a text, with the separator at its end if the prefix was made of a text.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

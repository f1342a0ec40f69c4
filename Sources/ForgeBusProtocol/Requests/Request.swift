/// A client's request to a worker.
public struct Request: Hashable, Sendable {
    /// The sender's id, kept for every resend.
    public var id: RequestID
    /// The command.
    public var command: Command
    /// The sender's own label, at most 128 bytes, never an identity.
    public var source: String?
    /// The W3C trace context the request belongs to.
    public var traceparent: String?

    /// Makes a request, by default with a new random id.
    public init(_ command: Command, id: RequestID = .random(), source: String? = nil, traceparent: String? = nil) {
        self.id = id
        self.command = command
        self.source = source
        self.traceparent = traceparent
    }
}

/// How durable an acknowledgement is.
public enum Durability: String, Comparable, CaseIterable, Hashable, Sendable {
    /// As long as the worker's process.
    case memory
    /// Through `kill -9` and power loss.
    case fsynced

    /// The longer-lasting durability is the greater.
    public static func < (a: Durability, b: Durability) -> Bool { a == .memory && b == .fsynced }
}

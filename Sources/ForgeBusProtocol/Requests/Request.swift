/// What a client asks of a worker.
public struct Request: Hashable, Sendable {
    /// The sender's id, kept for every resend.
    public var id: RequestID
    /// What is asked.
    public var command: Command
    /// What the sender calls itself: a label, at most 128 bytes, never an identity.
    public var source: String?
    /// The W3C trace context the request belongs to.
    public var traceparent: String?

    /// A request under a new random id.
    public init(_ command: Command, id: RequestID = .random(), source: String? = nil, traceparent: String? = nil) {
        self.id = id
        self.command = command
        self.source = source
        self.traceparent = traceparent
    }
}

/// How long an acknowledged thing lives.
public enum Durability: String, Comparable, CaseIterable, Hashable, Sendable {
    /// As long as the worker's process.
    case memory
    /// Through `kill -9` and power loss.
    case fsynced

    /// What survives more is the greater.
    public static func < (a: Durability, b: Durability) -> Bool { a == .memory && b == .fsynced }
}

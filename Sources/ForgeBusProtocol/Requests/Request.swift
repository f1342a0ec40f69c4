/// A client's request to a worker.
public struct Request: Hashable, Sendable {
    /// The sender's id for the request; the sender keeps the id for every resend.
    public var id: RequestID
    /// The command with its content.
    public var command: Command
    /// A label that the sender chooses, at most 128 bytes; it does not prove the sender's identity.
    public var source: String?
    /// The W3C trace context that the request belongs to; nil if it belongs to no trace.
    public var traceparent: String?
    /// The principal for which the sender acts, as a gateway does for its users; nil if the sender acts for itself.
    ///
    /// The sender needs the right ``Right/actAs``. The worker then treats the request as one of this principal: its
    /// rights, its ledger and its limits count.
    public var principal: Name?

    /// Makes a request, by default with a new random id.
    public init(
        _ command: Command,
        id: RequestID = .random(),
        source: String? = nil,
        traceparent: String? = nil,
        as principal: Name? = nil
    ) {
        self.id = id
        self.command = command
        self.source = source
        self.traceparent = traceparent
        self.principal = principal
    }
}

/// How durable an acknowledgement is.
public enum Durability: String, Comparable, CaseIterable, Hashable, Sendable {
    /// The record lasts as long as the worker's process.
    case memory
    /// The record survives `kill -9` and power loss.
    case fsynced
    /// The record survives the loss of the store's server, too: a synchronous replica of the database has the record on
    /// disk.
    case replicated

    /// Orders `memory` before `fsynced`, and `fsynced` before `replicated`, which lasts longest.
    public static func < (a: Durability, b: Durability) -> Bool { a.rank < b.rank }

    private var rank: Int {
        switch self {
        case .memory: 0
        case .fsynced: 1
        case .replicated: 2
        }
    }
}

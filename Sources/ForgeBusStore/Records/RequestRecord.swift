public import ForgeBusProtocol

/// The sender of a request and its id; two principals may use the same id.
public struct RequestKey: Hashable, Sendable {
    /// The sender's principal; for senders without a key `local`, with their label if they gave one.
    public let principal: String
    /// The request's id.
    public let id: RequestID
    /// The hash of both, computed once: a ledger needs it again and again, and compares it first.
    private let digest: Int

    /// A request of `principal`.
    public init(principal: String, id: RequestID) {
        self.principal = principal
        self.id = id
        var hasher = Hasher()
        hasher.combine(id)
        var text = principal
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        digest = hasher.finalize()
    }

    /// Whether both are the same, byte for byte: labels that only look alike differ, in memory as on disk.
    public static func == (a: RequestKey, b: RequestKey) -> Bool {
        a.digest == b.digest && a.id == b.id && a.principal.utf8.elementsEqual(b.principal.utf8)
    }

    /// Hashes the bytes of both.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

/// A request and its answer.
public struct RequestRecord: Hashable, Sendable {
    /// The sender and id.
    public var key: RequestKey
    /// SHA-256 of the request's content.
    public var fingerprint: Fingerprint
    /// The answer.
    public var outcome: Outcome
    /// When it expires, in milliseconds since 1970; nil until the run it began has ended.
    public var until: Int64?

    /// How a request can be answered.
    public enum Outcome: Hashable, Sendable {
        /// It began a run. A store keeps the ``RunRecord`` in place of this record.
        case run(Name)
        // The others are indirect, because most requests of a ledger began a run.
        /// It got a verdict.
        indirect case verdict(VerdictReport)
        /// It was done; this was the state then.
        indirect case confirmation(StateReport)
    }

    /// An accepted request.
    public init(key: RequestKey, fingerprint: Fingerprint, outcome: Outcome, until: Int64? = nil) {
        self.key = key
        self.fingerprint = fingerprint
        self.outcome = outcome
        self.until = until
    }
}

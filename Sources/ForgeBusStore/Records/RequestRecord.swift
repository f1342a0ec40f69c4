public import ForgeBusProtocol

/// Identifies a request by its sender and its id, because two principals may use the same id.
public struct RequestKey: Hashable, Sendable {
    /// The sender's principal; for a sender without a key, `local`, or `local/` and the label that it sent as `source`.
    public let principal: String
    /// The request's id.
    public let id: RequestID
    /// The hash of the principal and the id, which is computed only once because a ledger needs it often.
    private let digest: Int

    /// Creates the key of a request from `principal`.
    public init(principal: String, id: RequestID) {
        self.principal = principal
        self.id = id
        var hasher = Hasher()
        hasher.combine(id)
        var text = principal
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        digest = hasher.finalize()
    }

    /// Whether the senders and the ids have equal bytes, as in the store; so labels that only look alike are different.
    public static func == (a: RequestKey, b: RequestKey) -> Bool {
        a.digest == b.digest && a.id == b.id && a.principal.utf8.elementsEqual(b.principal.utf8)
    }

    /// Hashes the bytes of the sender and the id.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

/// An accepted request and its answer.
public struct RequestRecord: Hashable, Sendable {
    /// The request's sender and id.
    public var key: RequestKey
    /// The SHA-256 digest of the request's content.
    public var fingerprint: Fingerprint
    /// The request's answer.
    public var outcome: Outcome
    /// When the record expires, in milliseconds since 1970; nil while the run that the request began is unfinished.
    public var until: Int64?

    /// The kinds of answers to an accepted request.
    public enum Outcome: Hashable, Sendable {
        /// The request began this run; instead of this record, a store keeps the ``RunRecord``.
        case run(Name)
        // The next two cases are indirect, to keep the enumeration small: most requests of a ledger began a run.
        /// The request was a decision and got this verdict.
        indirect case verdict(VerdictReport)
        /// The request was carried out; the report contains the state after the request.
        indirect case confirmation(StateReport)
    }

    /// Creates the record of an accepted request.
    public init(key: RequestKey, fingerprint: Fingerprint, outcome: Outcome, until: Int64? = nil) {
        self.key = key
        self.fingerprint = fingerprint
        self.outcome = outcome
        self.until = until
    }
}

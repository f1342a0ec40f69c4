public import ForgeBusProtocol

/// Who asked, and under which id: ids of two principals never meet.
public struct RequestKey: Hashable, Sendable {
    /// The sender's principal; for senders without a key `local`, with their label where they gave one.
    public let principal: String
    /// The sender's id.
    public let id: RequestID
    /// Of the bytes of both; made once, because a ledger asks for it again and again, and compares it with others' first.
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

    /// Whether both are the same, byte for byte: labels that only look alike are two, in memory as on disk.
    public static func == (a: RequestKey, b: RequestKey) -> Bool {
        a.digest == b.digest && a.id == b.id && a.principal.utf8.elementsEqual(b.principal.utf8)
    }

    /// Hashes the bytes of both.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

/// A request and what it was answered.
public struct RequestRecord: Hashable, Sendable {
    /// Who asked, and under which id.
    public var key: RequestKey
    /// SHA-256 of what the request asks: four words of 64 bits.
    public var fingerprint: Fingerprint
    /// What came of it.
    public var outcome: Outcome
    /// Until when it is kept, in milliseconds since 1970; nil while the run it began has not ended.
    public var until: Int64?

    /// What can come of a request that is kept.
    public enum Outcome: Hashable, Sendable {
        /// It began a run, whose ``RunRecord`` a store keeps in place of this one.
        case run(RunID)
        // Kept apart, because most of the many that a ledger keeps began a run.
        /// It got a verdict.
        indirect case verdict(VerdictReport)
        /// It was done, and this stood then.
        indirect case confirmation(StateReport)
    }

    /// A request that was taken.
    public init(key: RequestKey, fingerprint: Fingerprint, outcome: Outcome, until: Int64? = nil) {
        self.key = key
        self.fingerprint = fingerprint
        self.outcome = outcome
        self.until = until
    }
}

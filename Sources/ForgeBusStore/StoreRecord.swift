public import ForgeBusProtocol

/// One thing that is kept.
///
/// Indirect, so that books of many records move pointers when they grow.
public indirect enum StoreRecord: Hashable, Sendable {
    /// A request and what it was answered, so that the same request again is the same request.
    case request(RequestRecord)
    /// A run and, once it ended, its result.
    case run(RunRecord)
    /// A signal, whether it waits or is decided, or a decision that came early.
    case signal(SignalRecord)

    /// Under which key it is kept.
    public var key: StoreKey {
        switch self {
        case .request(let record): .request(record.key)
        case .run(let record): .run(record.run)
        case .signal(let record): .signal(record.signal)
        }
    }
}

/// The key of one thing that is kept.
public enum StoreKey: Hashable, Sendable {
    /// A request, by who sent it and its id.
    case request(RequestKey)
    /// A run, by its id.
    case run(RunID)
    /// A signal, by its id.
    case signal(SignalID)
}

/// Who asked, and under which id: ids of two principals never meet.
public struct RequestKey: Hashable, Sendable {
    /// The sender's principal; for senders without a key `local`, with their label where they gave one.
    public var principal: String
    /// The sender's id.
    public var id: RequestID

    /// A request of `principal`.
    public init(principal: String, id: RequestID) {
        self.principal = principal
        self.id = id
    }
}

/// A request and what it was answered.
public struct RequestRecord: Hashable, Sendable {
    /// Who asked, and under which id.
    public var key: RequestKey
    /// SHA-256 of what the request asks: four words of 64 bits.
    public var fingerprint: Fingerprint
    /// What came of it.
    public var outcome: Outcome

    /// What can come of a request that is kept.
    public enum Outcome: Hashable, Sendable {
        /// It began a run.
        case run(RunID)
        /// It got a verdict.
        case verdict(VerdictReport)
        /// It was done, and this stood then.
        case confirmation(StateReport)
    }

    /// A request that was taken.
    public init(key: RequestKey, fingerprint: Fingerprint, outcome: Outcome) {
        self.key = key
        self.fingerprint = fingerprint
        self.outcome = outcome
    }
}

/// The content of a request as 256 bits.
public struct Fingerprint: Hashable, Sendable {
    /// The bits, first word first.
    public var words: (UInt64, UInt64, UInt64, UInt64)

    /// Four words, first word first.
    public init(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) { words = (a, b, c, d) }

    /// Whether all bits are the same.
    public static func == (a: Fingerprint, b: Fingerprint) -> Bool { a.words == b.words }

    /// Hashes the first word: the bits of a digest are spread already.
    public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

/// A run and, once it ended, its result.
public struct RunRecord: Hashable, Sendable {
    /// The run's id.
    public var run: RunID
    /// The request that began it.
    public var request: RequestKey
    /// Which pipeline it runs.
    public var pipeline: PipelineName
    /// What its context began with.
    public var seeds: JSONObject
    /// How it ended; nil while it has not.
    public var result: RunResult?

    /// A run.
    public init(run: RunID, request: RequestKey, pipeline: PipelineName, seeds: JSONObject, result: RunResult? = nil) {
        self.run = run
        self.request = request
        self.pipeline = pipeline
        self.seeds = seeds
        self.result = result
    }
}

/// A signal, whether it waits or is decided, or decisions that came early.
public struct SignalRecord: Hashable, Sendable {
    /// The signal's id.
    public var signal: SignalID
    /// What is known of it.
    public var state: State

    /// What can be known of a signal.
    public enum State: Hashable, Sendable {
        /// Somebody waits.
        case waiting(owner: String)
        /// It was decided, by whom.
        case decided(owner: String, outcome: Decision.Outcome, principal: String)
        /// Its deadline passed first.
        case expired(owner: String)
        /// It was withdrawn undecided.
        case closed(owner: String, why: String)
        /// Nobody waits yet; these principals decided already, in this order.
        case early([Early])
    }

    /// A decision that came before its signal.
    public struct Early: Hashable, Sendable {
        /// Who decided.
        public var principal: String
        /// What was decided.
        public var outcome: Decision.Outcome

        /// A decision that came early.
        public init(principal: String, outcome: Decision.Outcome) {
            self.principal = principal
            self.outcome = outcome
        }
    }

    /// A signal.
    public init(signal: SignalID, state: State) {
        self.signal = signal
        self.state = state
    }
}

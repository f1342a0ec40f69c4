public import ForgeBusProtocol

/// A run with the request that began it and, once it ended, its result.
public struct RunRecord: Hashable, Sendable {
    /// The run's id.
    public var run: RunID
    /// The request that began it.
    public var request: RequestKey
    /// SHA-256 of what that request asks.
    public var fingerprint: Fingerprint
    /// Which pipeline it runs.
    public var pipeline: PipelineName
    /// SHA-256 of the pipeline's definition when the run was taken.
    public var definition: Fingerprint
    /// Who requested it.
    public var principal: String
    /// What its context begins with; let go when it has ended.
    public var seeds: JSONObject
    /// When it was taken, in milliseconds since 1970.
    public var accepted: Int64
    /// When its deadline passes, in milliseconds since 1970; nil where it has none, or while it is parked.
    public var deadline: Int64?
    /// When it got its first slot, in milliseconds since 1970; nil while it has not.
    ///
    /// A worker that dies then may have begun it.
    public var began: Int64?
    /// How it ended; nil while it has not.
    public var end: End?

    /// How a run ended, and until when that is kept.
    public struct End: Hashable, Sendable {
        /// Its result.
        public var result: RunResult
        /// When it ended, in milliseconds since 1970.
        public var ended: Int64
        /// Until when it is kept, in milliseconds since 1970.
        public var until: Int64

        /// A run ended so.
        public init(result: RunResult, ended: Int64, until: Int64) {
            self.result = result
            self.ended = ended
            self.until = until
        }
    }

    /// A run.
    public init(
        run: RunID,
        request: RequestKey,
        fingerprint: Fingerprint,
        pipeline: PipelineName,
        definition: Fingerprint,
        principal: String,
        seeds: JSONObject,
        accepted: Int64,
        deadline: Int64? = nil,
        began: Int64? = nil,
        end: End? = nil
    ) {
        self.run = run
        self.request = request
        self.fingerprint = fingerprint
        self.pipeline = pipeline
        self.definition = definition
        self.principal = principal
        self.seeds = seeds
        self.accepted = accepted
        self.deadline = deadline
        self.began = began
        self.end = end
    }
}

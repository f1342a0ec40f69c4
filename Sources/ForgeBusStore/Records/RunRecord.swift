public import ForgeBusProtocol

/// A run with the request that began it and, once it ended, its result.
public struct RunRecord: Hashable, Sendable {
    /// The run's id.
    public var run: Name
    /// The request that began it.
    public var request: RequestKey
    /// SHA-256 of that request's content.
    public var fingerprint: Fingerprint
    /// Its pipeline.
    public var pipeline: Name
    /// SHA-256 of the pipeline's definition when the run was accepted.
    public var definition: Fingerprint
    /// Who requested it.
    public var principal: String
    /// The first values of its context; empty once it has ended.
    public var seeds: JSONObject
    /// When it was accepted, in milliseconds since 1970.
    public var accepted: Int64
    /// Its deadline, in milliseconds since 1970; nil if it has none, or while it is parked.
    public var deadline: Int64?
    /// When it got its first slot, in milliseconds since 1970; nil before.
    ///
    /// A worker that died later may have started it.
    public var began: Int64?
    /// How it ended; nil before.
    public var end: End?

    /// How a run ended, and when that expires.
    public struct End: Hashable, Sendable {
        /// Its result.
        public var result: RunResult
        /// When it ended, in milliseconds since 1970.
        public var ended: Int64
        /// When the record expires, in milliseconds since 1970.
        public var until: Int64

        /// The end of a run.
        public init(result: RunResult, ended: Int64, until: Int64) {
            self.result = result
            self.ended = ended
            self.until = until
        }
    }

    /// A run.
    public init(
        run: Name,
        request: RequestKey,
        fingerprint: Fingerprint,
        pipeline: Name,
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

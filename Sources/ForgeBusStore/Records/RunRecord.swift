public import ForgeBusProtocol

/// A run, with the request that began it; after the end of the run, also with its result.
public struct RunRecord: Hashable, Sendable {
    /// The run's id.
    public var run: Name
    /// The request that began the run.
    public var request: RequestKey
    /// The SHA-256 digest of the request's content.
    public var fingerprint: Fingerprint
    /// The name of the run's pipeline.
    public var pipeline: Name
    /// The pipeline's definition under which the run was accepted or last redriven; ``RunDefinition/none`` after the end
    /// of the run.
    public var definition: RunDefinition
    /// The principal that requested the run.
    public var principal: String
    /// The principal that sent the request for ``principal``; nil if the principal sent it itself.
    public var via: String?
    /// The seeds that the request gave the run; empty after the run has ended.
    public var seeds: JSONObject
    /// What the run is about, as its pipeline's title said when it was accepted; nil without a title.
    public var title: String?
    /// The key that the run holds from its first slot to its end; nil if it executes beside any other run.
    public var key: ExclusiveKey?
    /// When the run was accepted, in milliseconds since 1970.
    public var accepted: Int64
    /// The run's deadline, in milliseconds since 1970; nil without a deadline, or while the run is parked.
    public var deadline: Int64?
    /// When the run got its first slot, in milliseconds since 1970; nil before that.
    ///
    /// After that time, an action of the run may have executed, even if no progress is stored.
    public var began: Int64?
    /// The origin of the run, if the worker itself requested it; nil if a sender requested it.
    public var origin: RunOrigin?
    /// The end of the run; nil while the run is unfinished.
    public var end: End?

    /// The result of an ended run, and the time when its record expires.
    public struct End: Hashable, Sendable {
        /// The run's result.
        public var result: RunResult
        /// When the run ended, in milliseconds since 1970.
        public var ended: Int64
        /// When the record expires, in milliseconds since 1970.
        public var until: Int64
        /// Whether a ``RunTexts`` record was stored with the end.
        public var hasTexts: Bool

        /// Creates the end of a run.
        public init(result: RunResult, ended: Int64, until: Int64, hasTexts: Bool) {
            self.result = result
            self.ended = ended
            self.until = until
            self.hasTexts = hasTexts
        }
    }

    /// Creates the record of a run.
    public init(
        run: Name,
        request: RequestKey,
        fingerprint: Fingerprint,
        pipeline: Name,
        definition: RunDefinition,
        principal: String,
        via: String? = nil,
        seeds: JSONObject,
        title: String? = nil,
        key: ExclusiveKey? = nil,
        accepted: Int64,
        deadline: Int64? = nil,
        began: Int64? = nil,
        origin: RunOrigin? = nil,
        end: End? = nil
    ) {
        self.run = run
        self.request = request
        self.fingerprint = fingerprint
        self.pipeline = pipeline
        self.definition = definition
        self.principal = principal
        self.via = via
        self.seeds = seeds
        self.title = title
        self.key = key
        self.accepted = accepted
        self.deadline = deadline
        self.began = began
        self.origin = origin
        self.end = end
    }
}

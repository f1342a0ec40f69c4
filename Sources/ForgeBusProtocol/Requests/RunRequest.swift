/// A run of a pipeline is asked for.
public struct RunRequest: Hashable, Sendable {
    /// Which pipeline.
    public var pipeline: PipelineName
    /// What its context begins with.
    public var seeds: JSONObject
    /// Whether answers end at ACCEPTED.
    public var isDetached: Bool
    /// Whether every action's start and end is told by PROGRESS.
    public var wantsProgress: Bool
    /// The longest the whole run may take from acceptance, waits included; nil sets no bound.
    public var deadline: Duration?
    /// The least durability the sender takes; nil takes the worker's.
    public var durability: Durability?

    /// A run of `pipeline`.
    public init(
        pipeline: PipelineName,
        seeds: JSONObject = [:],
        isDetached: Bool = false,
        wantsProgress: Bool = false,
        deadline: Duration? = nil,
        durability: Durability? = nil
    ) {
        self.pipeline = pipeline
        self.seeds = seeds
        self.isDetached = isDetached
        self.wantsProgress = wantsProgress
        self.deadline = deadline
        self.durability = durability
    }
}

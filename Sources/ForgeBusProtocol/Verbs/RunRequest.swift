/// A request to run a pipeline.
public struct RunRequest: Hashable, Sendable {
    /// The pipeline's name.
    public var pipeline: Name
    /// The initial values of the run's context.
    public var seeds: JSONObject
    /// Whether ACCEPTED is the last answer; otherwise RESULT follows when the run ends.
    public var isDetached: Bool
    /// Whether the worker also sends PROGRESS for the start, the end and each retry of an action.
    ///
    /// Unless ``isDetached`` is true, the worker sends PROGRESS in any case when the run waits, resumes, is parked or
    /// is redriven.
    public var wantsProgress: Bool
    /// The longest time from the acceptance to the end of the run; nil for no limit.
    ///
    /// The time includes waits for signals and retries, but not the time in which the run is parked.
    public var deadline: Duration?
    /// The lowest durability that the sender accepts; nil accepts the worker's default.
    public var durability: Durability?

    /// Makes a request to run `pipeline`.
    public init(
        pipeline: Name,
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

extension RunRequest: Verb {
    package static let words = ["RUN"]
    package static let attributes = ["reply", "deadline_ms", "durability", "progress"]
    package static let right: Right? = .run
    package static let isLedgered = true

    private enum Reply: String, CaseIterable { case accepted, result }

    package init(_ pipeline: Name, _ attributes: AttributeReader, _ body: BodyReader) throws(BusError) {
        let reply: Reply? = try attributes.choice("reply")
        self.init(
            pipeline: pipeline,
            isDetached: reply == .accepted,
            wantsProgress: try attributes.flag("progress"),
            deadline: try attributes.duration("deadline_ms", atLeast: 1),
            durability: try attributes.choice("durability")
        )
        seeds = try body.object(of: "the seeds, or an empty body for none")
    }

    package var command: Request.Command { .run(self) }
    package var subject: Name { pipeline }
    package var body: [UInt8] { seeds.body }
    package var content: VerbContent? { VerbContent(time: deadline, durability: durability) }
    package var lastAnswer: LastAnswer { isDetached ? .acceptance : .result }

    package func write(to attributes: inout JSONObject) {
        if isDetached { attributes["reply"] = "accepted" }
        attributes["deadline_ms"] = deadline?.json
        attributes["durability"] = durability?.json
        if wantsProgress { attributes["progress"] = true }
    }
}

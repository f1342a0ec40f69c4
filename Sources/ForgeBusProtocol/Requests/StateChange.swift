/// Something changed.
public struct StateChange: Hashable, Sendable {
    /// What changed.
    public var topic: Topic
    /// Anything, up to the frame's limit; a hint for people, never the state itself.
    public var body: [UInt8]
    /// Whether one EVALUATED is wanted when the last covering cycle ended.
    public var wantsEvaluation: Bool
    /// After how long EVALUATED comes even if cycles are pending; nil waits for them.
    public var deadline: Duration?
    /// The least durability the sender takes; nil takes the worker's.
    public var durability: Durability?

    /// A notification on `topic`.
    public init(
        topic: Topic,
        body: [UInt8] = [],
        wantsEvaluation: Bool = false,
        deadline: Duration? = nil,
        durability: Durability? = nil
    ) {
        self.topic = topic
        self.body = body
        self.wantsEvaluation = wantsEvaluation
        self.deadline = deadline
        self.durability = durability
    }
}

/// A notification that something changed.
public struct StateChange: Hashable, Sendable {
    /// The topic that changed.
    public var topic: Name
    /// A hint for the monitors' actions: any bytes, up to ``WireLimits/frameSizeInBytes``.
    ///
    /// The actions read the state itself elsewhere, for instance from a database.
    public var body: [UInt8]
    /// Whether the worker sends EVALUATED, once all monitors that follow the topic have reported a covering cycle.
    ///
    /// A monitor also reports if its covering cycle is overdue, or if a screen or a pause excludes the monitor.
    public var wantsEvaluation: Bool
    /// The longest time from the acceptance to EVALUATED; nil waits for all cycles.
    ///
    /// If the time passes first, EVALUATED names the monitors whose covering cycle has not ended.
    public var deadline: Duration?
    /// The lowest durability that the sender accepts; nil has the same effect as `memory`.
    ///
    /// With `fsynced` or `replicated`, the store keeps the notification until a cycle that covers it has succeeded.
    public var durability: Durability?

    /// Makes a notification on `topic`.
    public init(
        topic: Name,
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

extension StateChange: Verb {
    package static let words = ["NOTIFY"]
    package static let attributes = ["reply", "deadline_ms", "durability"]
    package static let right: Right? = .notify
    /// The ledger does not record notifications, because a resend does no harm: it causes at most one more cycle.
    package static let isLedgered = false
    package static let isTiedToStore = true

    private enum Reply: String, CaseIterable { case accepted, evaluated }

    package init(_ topic: Name, _ attributes: AttributeReader, _ body: BodyReader) throws(BusError) {
        let reply: Reply? = try attributes.choice("reply")
        self.init(
            topic: topic,
            body: Array(body.frame),
            wantsEvaluation: reply == .evaluated,
            deadline: try attributes.duration("deadline_ms", atLeast: 1),
            durability: try attributes.choice("durability")
        )
    }

    package var command: Request.Command { .notify(self) }
    package var subject: Name { topic }
    package var lastAnswer: LastAnswer { wantsEvaluation ? .evaluation : .acceptance }

    package func write(to attributes: inout JSONObject) {
        if wantsEvaluation { attributes["reply"] = "evaluated" }
        attributes["deadline_ms"] = deadline?.json
        attributes["durability"] = durability?.json
    }
}

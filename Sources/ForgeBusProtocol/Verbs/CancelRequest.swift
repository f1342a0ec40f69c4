/// A request to cancel a run.
public struct CancelRequest: Hashable, Sendable {
    /// The run's id.
    public var run: Name
    /// The reason, for people; empty if the sender gives no reason.
    public var reason: String
    /// The lowest durability that the sender accepts; nil accepts the worker's default.
    public var durability: Durability?

    /// Makes a request to cancel `run`.
    public init(run: Name, reason: String = "", durability: Durability? = nil) {
        self.run = run
        self.reason = reason
        self.durability = durability
    }
}

extension CancelRequest: Verb {
    package static let words = ["CANCEL"]
    package static let attributes = ["durability"]
    package static let right: Right? = .cancel
    package static let isLedgered = true

    package init(_ run: Name, _ attributes: AttributeReader, _ body: BodyReader) throws(BusError) {
        let durability: Durability? = try attributes.choice("durability")
        self.init(run: run, reason: try body.reason(), durability: durability)
    }

    /// Reads the frames; frames with the subject `>` give a ``SteeringRequest``.
    package static func read(_ frames: Frames, as word: String) throws(BusError) -> (Request.Command, AttributeReader) {
        if SteeringRequest.isMeant(by: frames.subject) { return try SteeringRequest.read(frames, as: word) }
        return try readFrames(frames, as: word)
    }

    package var command: Request.Command { .cancel(self) }
    package var subject: Name { run }
    package var body: [UInt8] { reason.reasonBody }
    package var target: String? { nil }
    package var content: VerbContent? { VerbContent(durability: durability) }

    package func write(to attributes: inout JSONObject) { attributes["durability"] = durability?.json }
}

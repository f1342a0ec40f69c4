/// A request to resume a parked run at the action where it stopped.
public struct RedriveRequest: Hashable, Sendable {
    /// The run's id.
    public var run: Name
    /// The lowest durability that the sender accepts; nil accepts the worker's default.
    public var durability: Durability?

    /// Makes a request to resume `run`.
    public init(run: Name, durability: Durability? = nil) {
        self.run = run
        self.durability = durability
    }
}

extension RedriveRequest: Verb {
    package static let words = ["REDRIVE"]
    package static let attributes = ["durability"]
    package static let right: Right? = .cancel
    package static let isLedgered = true

    package init(_ run: Name, _ attributes: AttributeReader, _ body: BodyReader) throws(BusError) {
        self.init(run: run, durability: try attributes.choice("durability"))
    }

    /// Reads the frames; frames with the subject `>` give a ``SteeringRequest``.
    package static func read(_ frames: Frames, as word: String) throws(BusError) -> (Request.Command, AttributeReader) {
        if SteeringRequest.isMeant(by: frames.subject) { return try SteeringRequest.read(frames, as: word) }
        return try readFrames(frames, as: word)
    }

    package var command: Request.Command { .redrive(self) }
    package var subject: Name { run }
    package var target: String? { nil }
    package var content: VerbContent? { VerbContent(durability: durability) }

    package func write(to attributes: inout JSONObject) { attributes["durability"] = durability?.json }
}

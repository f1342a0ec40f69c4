/// A request to take back the sender's own early decision before a signal uses it, or its own vote on a waiting gate.
public struct WithdrawRequest: Hashable, Sendable {
    /// The signal's id.
    public var signal: Name
    /// The lowest durability that the sender accepts; nil accepts the worker's default.
    public var durability: Durability?

    /// Makes a request to take back the sender's early decision about `signal`, or its vote on that gate.
    public init(signal: Name, durability: Durability? = nil) {
        self.signal = signal
        self.durability = durability
    }
}

extension WithdrawRequest: Verb {
    package static let words = ["WITHDRAW"]
    package static let attributes = ["durability"]
    package static let right: Right? = .complete
    package static let isLedgered = true

    package init(_ signal: Name, _ attributes: AttributeReader, _ body: BodyReader) throws(BusError) {
        self.init(signal: signal, durability: try attributes.choice("durability"))
    }

    package var command: Request.Command { .withdraw(self) }
    package var subject: Name { signal }
    package var content: VerbContent? { VerbContent(durability: durability) }

    package func write(to attributes: inout JSONObject) { attributes["durability"] = durability?.json }
}

public import ForgeBusProtocol

/// The early decisions on a signal that nothing waits for yet.
public struct HeldEarly: HeldItem {
    /// The kind of list that contains early decisions.
    public static var kind: ListKind { .early }

    /// The id of the signal.
    public let id: SignalID
    /// The early decisions in the order in which they came: at most one for each principal, and at most the first 100.
    public let decisions: [Early]
    /// Everything that the worker sent about these decisions.
    public let json: JSONObject

    /// One early decision.
    public struct Early: Hashable, Sendable {
        /// Whether the decision is an approval or a rejection; nil if the client does not know the worker's value.
        public let decision: Decision.Kind?
        /// The principal that sent the decision.
        public let principal: String
        /// When the decision came, in milliseconds since 1970 by the worker's clock.
        public let unixMilliseconds: Int64
        /// When the worker drops the decision, in milliseconds since 1970 by the worker's clock.
        public let untilUnixMilliseconds: Int64
        /// Whether the sender asked the worker to keep the decision; if not, a gate does not use the decision.
        public let isAsked: Bool
    }

    /// Reads the early decisions on one signal from an item of a list.
    ///
    /// - Throws: `BusError` with code `bad_answer` if a required member is missing.
    public init(_ json: JSONObject) throws(BusError) {
        id = SignalID(try json.text("signal"))
        var decisions: [Early] = []
        for value in json["decisions"]?.array ?? [] { decisions.append(try Early(value.object ?? [:])) }
        self.decisions = decisions
        self.json = json
    }
}

extension HeldEarly.Early {
    fileprivate init(_ json: JSONObject) throws(BusError) {
        decision = Decision.Kind(rawValue: try json.text("decision"))
        principal = try json.text("by")
        unixMilliseconds = json["at_ms"]?.integer ?? 0
        untilUnixMilliseconds = json["until_ms"]?.integer ?? 0
        isAsked = json["asked"]?.bool ?? true
    }
}

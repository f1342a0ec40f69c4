public import ForgeBusProtocol

/// The early decisions on a signal that nobody waits for yet.
public struct HeldEarly: HeldItem {
    /// The kind that LIST takes.
    public static var kind: ListKind { .early }

    /// The signal's id.
    public let id: SignalID
    /// The decisions in the order in which they came, at most one for each principal.
    public let decisions: [Early]
    /// Everything that the worker sent.
    public let json: JSONObject

    /// A decision that waits for its signal.
    public struct Early: Hashable, Sendable {
        /// Whether it approves or rejects; nil for a word that this version does not know.
        public let decision: Decision.Kind?
        /// The principal that decided.
        public let principal: String
        /// When the decision came, in milliseconds since 1970 by the worker's clock.
        public let unixMilliseconds: Int64
        /// When the worker drops the decision, in milliseconds since 1970 by the worker's clock.
        public let untilUnixMilliseconds: Int64
        /// Whether the sender asked the worker to keep the decision; a gate uses no other.
        public let isAsked: Bool
    }

    /// Reads an item of a list.
    ///
    /// - Throws: `BusError` with code `bad_answer` if a member is missing.
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

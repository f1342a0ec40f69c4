/// A request for events from now on, up to the number of events that the sender accepts.
///
/// Until the watch ends, another request with the same id and pattern adds its credit to the watch.
public struct WatchRequest: Hashable, Sendable {
    /// The pattern that the subjects of the events match, for instance `run.feed.>`.
    public var pattern: NamePattern
    /// How many events the worker may send, 1 to 10,000.
    public var credit: Int

    /// Makes a request for the next `credit` events that match `pattern`.
    public init(_ pattern: NamePattern, credit: Int) {
        self.pattern = pattern
        self.credit = credit
    }
}

extension WatchRequest: Verb {
    package static let words = ["WATCH"]
    package static let attributes = ["credit"]
    package static let right: Right? = .read
    package static let isLedgered = false

    package init(_ pattern: NamePattern, _ attributes: AttributeReader, _ body: BodyReader) throws(BusError) {
        let credit = try attributes.integer("credit", in: 1...Int64(WireLimits.credit))
        self.init(pattern, credit: try attributes.required("credit", credit))
    }

    package var command: Request.Command { .watch(self) }
    package var subject: NamePattern { pattern }
    package var isAnsweredAtOnce: Bool { false }

    package func write(to attributes: inout JSONObject) { attributes["credit"] = .integer(Int64(credit)) }
}

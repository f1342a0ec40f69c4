/// A request to cancel or redrive many runs at once: the worker changes all runs that match a filter, or no run.
public struct SteeringRequest: Hashable, Sendable {
    /// The filter that selects the runs.
    public var filter: RunFilter
    /// The change to make to each of the runs.
    public var change: Change
    /// The number of matching runs that the sender expects, 0 to ``WireLimits/steeredRuns``.
    ///
    /// If more or fewer runs match, the worker changes nothing.
    public var count: Int
    /// The lowest durability that the sender accepts; nil accepts the worker's default.
    public var durability: Durability?

    /// The changes that a request can make to runs.
    public enum Change: Hashable, Sendable {
        /// The runs are cancelled; the reason is empty if the sender gives none.
        case cancel(reason: String)
        /// The runs resume at the action where they stopped; only parked runs match.
        case redrive
    }

    /// Makes a request to change the `count` runs that match `filter`.
    public init(_ change: Change, _ filter: RunFilter, expecting count: Int, durability: Durability? = nil) {
        self.filter = filter
        self.change = change
        self.count = count
        self.durability = durability
    }
}

/// A filter of unfinished runs by several conditions; a condition that is nil matches every run.
///
/// A run matches if it meets all conditions. A stopping run never matches.
public struct RunFilter: Hashable, Sendable {
    /// The state of the runs.
    public var state: State?
    /// The pipeline of the runs.
    public var pipeline: Name?
    /// The principal that requested the runs, at most 256 bytes.
    public var principal: String?
    /// The minimum time since the runs were accepted; at most ``WireLimits/duration``.
    public var olderThan: Duration?
    /// The text that the ids of the runs begin with, at most 256 bytes.
    public var prefix: String?

    /// The states that a filter can name.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// The run waits for a free slot.
        case queued
        /// The run's actions are executing.
        case running
        /// The run waits for a signal, a gate, or the end of a run that it requested.
        case waiting
        /// The run waits to try an action again.
        case retrying
        /// The run stopped at an action, and waits until somebody redrives or cancels it.
        case parked
    }

    /// Makes a filter from its conditions.
    public init(
        state: State? = nil,
        pipeline: Name? = nil,
        principal: String? = nil,
        olderThan: Duration? = nil,
        prefix: String? = nil
    ) {
        self.state = state
        self.pipeline = pipeline
        self.principal = principal
        self.olderThan = olderThan
        self.prefix = prefix
    }

    /// Whether all conditions are nil; such a filter would match every unfinished run.
    public var isEmpty: Bool { self == RunFilter() }

    /// The text of the filter for logs: the attributes of its conditions, as one JSON object.
    package var text: String {
        var attributes = JSONObject()
        write(to: &attributes)
        return JSONValue.object(attributes).description
    }

    static let attributes = ["state", "pipeline", "principal", "older_than_ms", "id"]

    /// Reads the conditions; `withState` is false for a list, which knows more states.
    init(_ attributes: AttributeReader, withState: Bool = true) throws(BusError) {
        let pipeline = try attributes.text("pipeline", atMost: Name.maximumSizeInBytes)
        do {
            self.pipeline = try pipeline.map { text throws(BusError) in try Name(text) }
        } catch {
            throw BusError(.badAttribute, "The attribute `pipeline` is malformed: \(error.message)", next: error.next)
        }
        state = withState ? try attributes.choice("state") : nil
        principal = try attributes.text("principal", atMost: 256)
        olderThan = try attributes.duration("older_than_ms", atLeast: 0)
        prefix = try attributes.text("id", atMost: Name.maximumSizeInBytes)
    }

    fileprivate func write(to attributes: inout JSONObject) {
        attributes["state"] = state.map { .string($0.rawValue) }
        attributes["pipeline"] = pipeline.map { .string($0.text) }
        attributes["principal"] = principal.map { .string($0) }
        attributes["older_than_ms"] = olderThan?.json
        attributes["id"] = prefix.map { .string($0) }
    }
}

/// CANCEL and REDRIVE with the subject `>`; ``CancelRequest`` and ``RedriveRequest`` pass such frames on to this type.
extension SteeringRequest: Verb {
    package static var words: [String] { ["CANCEL", "REDRIVE"] }
    package static let attributes = RunFilter.attributes + ["expect", "durability"]
    package static let right: Right? = .cancel
    package static let isLedgered = true

    /// Whether frames with this subject are about many runs.
    static func isMeant(by subject: ArraySlice<UInt8>) -> Bool { subject.elementsEqual(">".utf8) }

    package init(_ subject: NamePattern, _ attributes: AttributeReader, _ body: BodyReader) throws(BusError) {
        let filter = try RunFilter(attributes)
        let most = WireLimits.steeredRuns
        let count = try attributes.integer(
            "expect",
            in: 0...Int64(most),
            next: Errors.expectation(atMost: most)
        )
        guard !filter.isEmpty else {
            throw Errors.noFilter(body.word)
        }
        self.init(
            body.word == "CANCEL" ? .cancel(reason: try body.reason()) : .redrive,
            filter,
            expecting: try attributes.required("expect", count),
            durability: try attributes.choice("durability")
        )
    }

    package var command: Request.Command { .steer(self) }
    package var subject: NamePattern { ">" }
    package var target: String? { nil }

    package var content: VerbContent? {
        var attributes = JSONObject()
        filter.write(to: &attributes)
        attributes["expect"] = .integer(Int64(count))
        return VerbContent(durability: durability, selection: JSONValue.object(attributes).description)
    }

    package var word: String {
        switch change {
        case .cancel: "CANCEL"
        case .redrive: "REDRIVE"
        }
    }

    package var body: [UInt8] {
        switch change {
        case .cancel(let reason): reason.reasonBody
        case .redrive: []
        }
    }

    package func write(to attributes: inout JSONObject) {
        filter.write(to: &attributes)
        attributes["expect"] = .integer(Int64(count))
        attributes["durability"] = durability?.json
    }
}

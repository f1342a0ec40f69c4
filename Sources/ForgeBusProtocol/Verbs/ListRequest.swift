/// A request for a page of the worker's items.
public struct ListRequest: Hashable, Sendable {
    /// The kind of the items.
    public var kind: ListKind
    /// The maximum number of items on the page, 1 to 500.
    public var limit: Int
    /// The ``Page/cursor`` of the previous page; nil for the first page.
    public var cursor: String?
    /// The conditions that the items must meet.
    public var filter: ListFilter
    /// The order of runs and signals; items of other kinds are always in the order of their names.
    public var order: ListOrder

    /// Makes a request for a page of items of `kind`.
    public init(
        kind: ListKind,
        limit: Int = 100,
        cursor: String? = nil,
        filter: ListFilter = ListFilter(),
        order: ListOrder = .oldest
    ) {
        self.kind = kind
        self.limit = limit
        self.cursor = cursor
        self.filter = filter
        self.order = order
    }
}

/// The order of a list: runs by the time of their acceptance, signals by the time at which they began to wait.
public enum ListOrder: String, CaseIterable, Hashable, Sendable {
    /// The oldest comes first.
    case oldest
    /// The newest comes first.
    case newest
}

/// A filter of a list by several conditions; a condition that is nil matches every item.
///
/// A list of runs accepts all conditions. A list of signals accepts all except ``state``. Any other list accepts only
/// ``prefix``.
public struct ListFilter: Hashable, Sendable {
    /// The state of the runs.
    public var state: State?
    /// The pipeline of the runs, or of the runs that wait for the signals.
    public var pipeline: Name?
    /// The principal that requested the runs, or the runs that wait for the signals; at most 256 bytes.
    public var principal: String?
    /// The minimum time since the runs were accepted, or since the signals began to wait; at most
    /// ``WireLimits/duration``.
    public var olderThan: Duration?
    /// The text that the names or ids of the items begin with, at most 256 bytes.
    public var prefix: String?

    /// The states of runs, unfinished and ended.
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
        /// The run was cancelled, or its deadline passed, and an action has not returned yet.
        case stopping
        /// The run has ended, and no action failed.
        case completed
        /// The run has ended, because an action failed or the outputs cannot be part of the result.
        case failed
        /// The run has ended, because its deadline passed.
        case timedOut = "timed_out"
        /// Somebody cancelled the run, and it has ended.
        case cancelled
        /// The run has ended, because a worker without a durable store stopped.
        case lost

        /// Whether the run has ended.
        public var isEnd: Bool { RunResult.State(rawValue: rawValue) != nil }
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
}

extension ListRequest: Verb {
    package static let words = ["LIST"]
    package static let attributes = [
        "limit", "cursor", "order", "state", "pipeline", "principal", "older_than_ms", "id",
    ]
    package static let right: Right? = .read
    package static let isLedgered = false

    package init(_ kind: ListKind, _ attributes: AttributeReader, _ body: BodyReader) throws(BusError) {
        let limit = try attributes.integer("limit", in: 1...Int64(WireLimits.pageSize))
        let cursor = try attributes.text("cursor", atMost: Self.longestCursor)
        let order: ListOrder? = try attributes.choice("order")
        let runs = try RunFilter(attributes, withState: false)
        let filter = ListFilter(
            state: try attributes.choice("state"),
            pipeline: runs.pipeline,
            principal: runs.principal,
            olderThan: runs.olderThan,
            prefix: runs.prefix
        )
        self.init(kind: kind, limit: limit ?? 100, cursor: cursor, filter: filter, order: order ?? .oldest)
        let given = [
            ("order", order != nil), ("state", filter.state != nil), ("pipeline", filter.pipeline != nil),
            ("principal", filter.principal != nil), ("older_than_ms", filter.olderThan != nil),
        ]
        if let wrong = given.first(where: { $0.1 && !kind.takes($0.0) }) {
            throw Errors.unneeded(wrong.0, of: kind)
        }
    }

    /// The maximum size of a cursor, in bytes.
    package static let longestCursor = 512

    package var command: Request.Command { .list(self) }
    package var subject: ListKind { kind }

    package var target: String? {
        switch kind {
        case .runs: "run.>"
        case .signals, .early: "signal.>"
        case .monitors: "monitor.>"
        case .pipelines: "pipeline.>"
        }
    }

    package func write(to attributes: inout JSONObject) {
        if limit != 100 { attributes["limit"] = .integer(Int64(limit)) }
        attributes["cursor"] = cursor.map { .string($0) }
        if order != .oldest { attributes["order"] = .string(order.rawValue) }
        attributes["state"] = filter.state.map { .string($0.rawValue) }
        attributes["pipeline"] = filter.pipeline.map { .string($0.text) }
        attributes["principal"] = filter.principal.map { .string($0) }
        attributes["older_than_ms"] = filter.olderThan?.json
        attributes["id"] = filter.prefix.map { .string($0) }
    }
}

/// The kinds of items that LIST returns.
public enum ListKind: String, CaseIterable, Hashable, Sendable {
    /// Unfinished runs, and ended runs whose answer the worker still keeps.
    case runs
    /// Signals and gates that wait for a decision.
    case signals
    /// Signals that nobody waits for yet, each with its early decisions.
    case early
    /// Monitors, with their topics and their state.
    case monitors
    /// Pipelines, with their seeds.
    case pipelines

    /// Whether a list of this kind accepts `attribute`; every list accepts `limit`, `cursor` and `id`.
    fileprivate func takes(_ attribute: String) -> Bool {
        switch self {
        case .runs: true
        case .signals: attribute != "state"
        case .early, .monitors, .pipelines: false
        }
    }
}

extension ListKind: RequestSubject {
    package init(bytes: ArraySlice<UInt8>) throws(BusError) {
        let word = String(decoding: bytes, as: UTF8.self)
        guard let kind = ListKind(rawValue: word) else {
            throw Errors.unknownKind(word, next: "List one of", ListKind.allCases)
        }
        self = kind
    }

    package var text: String { rawValue }
}

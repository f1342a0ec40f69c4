/// A request for a page of the worker's items.
public struct ListRequest: Hashable, Sendable {
    /// The kind of the items.
    public var kind: ListKind
    /// The most items on the page, 1 to 500.
    public var limit: Int
    /// The ``Page/cursor`` of the previous page; nil for the first page.
    public var cursor: String?

    /// Makes a request for a page of items of `kind`.
    public init(kind: ListKind, limit: Int = 100, cursor: String? = nil) {
        self.kind = kind
        self.limit = limit
        self.cursor = cursor
    }
}

extension ListRequest: Verb {
    package static let words = ["LIST"]
    package static let attributes = ["limit", "cursor"]
    package static let right: Right? = .read
    package static let isLedgered = false

    package init(_ kind: ListKind, _ attributes: AttributeReader, _ body: BodyReader) throws(BusError) {
        let limit = try attributes.integer("limit", in: 1...Int64(WireLimits.pageSize))
        let cursor = try attributes.text("cursor", atMost: Name.maximumSizeInBytes)
        self.init(kind: kind, limit: limit ?? 100, cursor: cursor)
    }

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
}

extension ListKind: RequestSubject {
    package init(bytes: ArraySlice<UInt8>) throws(BusError) {
        let word = String(decoding: bytes, as: UTF8.self)
        guard let kind = ListKind(rawValue: word) else {
            throw .unknownKind(word, next: "List one of", ListKind.self)
        }
        self = kind
    }

    package var text: String { rawValue }
}

extension BusError {
    /// The error for a kind that is not one of `kinds`.
    static func unknownKind<Kind: RawRepresentable & CaseIterable>(
        _ word: String,
        next: String,
        _ kinds: Kind.Type
    ) -> BusError where Kind.RawValue == String {
        let known = kinds.allCases.map(\.rawValue).joined(separator: ", ")
        return BusError(.unknownKind, "There is no kind \(Printable.quoted(word)).", next: "\(next) \(known).")
    }
}

public import ForgeBusProtocol

/// Something a worker holds, as LIST and SHOW tell it.
public protocol HeldItem: Hashable, Sendable {
    /// What a list of it is a list of.
    static var kind: ListKind { get }

    /// Everything the worker told, also what this version has no name for.
    var json: JSONObject { get }

    /// Reads what the worker told.
    ///
    /// - Throws: `BusError` with code `bad_answer` where what each such item has is missing.
    init(_ json: JSONObject) throws(BusError)
}

/// What a worker holds of one kind, in the order of names or ids, asked for page by page as it is read.
///
/// What comes or goes meanwhile may be missing; nothing comes twice. Each iterator begins anew.
public struct Listing<Item: HeldItem>: AsyncSequence, Sendable {
    let client: BusClient
    let pageSize: Int
    let patience: Duration?

    /// Begins with the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(listing: self) }

    /// Takes the items.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let listing: Listing
        private var items: ArraySlice<JSONObject> = []
        private var next = NextPage.first

        private enum NextPage {
            case first
            case at(String)
            case end
        }

        fileprivate init(listing: Listing) { self.listing = listing }

        /// The next item; nil after the last one.
        ///
        /// - Throws: `BusError`; code `forbidden` for a kind that may not be read, `bad_attribute` for a size of pages that
        ///   is not 1 to 500, `cancelled` when the task is cancelled while a page is asked for.
        public mutating func next() async throws(BusError) -> Item? { try await next(isolation: nil) }

        /// The next item, without leaving the caller's actor.
        ///
        /// - Throws: `BusError`, as ``next()`` does.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(BusError) -> Item? {
            while items.isEmpty {
                let cursor: String?
                switch next {
                case .first: cursor = nil
                case .at(let place): cursor = place
                case .end: return nil
                }
                let page = try await listing.client.list(
                    Item.kind,
                    limit: listing.pageSize,
                    cursor: cursor,
                    patience: listing.patience
                )
                items = page.items[...]
                next = page.cursor.map(NextPage.at) ?? .end
            }
            return try Item(items.removeFirst())
        }
    }
}

extension BusClient {
    /// The runs that the worker keeps: unfinished ones, and those whose answer is still retained.
    ///
    /// ```swift
    /// func parked(_ client: BusClient) async throws {
    ///     for try await run in client.runs() where run.state == .parked { print(run.id, run.pipeline) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - pageSize: How many are asked for at a time, 1 to 500.
    ///   - patience: How long the worker may take for each page; nil uses the client's.
    /// - Returns: All of them, each asked for when it is read.
    public func runs(pageSize: Int = 100, patience: Duration? = nil) -> Listing<HeldRun> {
        Listing(client: self, pageSize: pageSize, patience: patience)
    }

    /// The signals and gates that wait.
    ///
    /// - Parameters:
    ///   - pageSize: How many are asked for at a time, 1 to 500.
    ///   - patience: How long the worker may take for each page; nil uses the client's.
    /// - Returns: All of them, each asked for when it is read.
    public func signals(pageSize: Int = 100, patience: Duration? = nil) -> Listing<HeldSignal> {
        Listing(client: self, pageSize: pageSize, patience: patience)
    }

    /// The monitors that the worker hosts.
    ///
    /// - Parameters:
    ///   - pageSize: How many are asked for at a time, 1 to 500.
    ///   - patience: How long the worker may take for each page; nil uses the client's.
    /// - Returns: All of them, each asked for when it is read.
    public func monitors(pageSize: Int = 100, patience: Duration? = nil) -> Listing<HeldMonitor> {
        Listing(client: self, pageSize: pageSize, patience: patience)
    }

    /// The pipelines that the worker hosts.
    ///
    /// - Parameters:
    ///   - pageSize: How many are asked for at a time, 1 to 500.
    ///   - patience: How long the worker may take for each page; nil uses the client's.
    /// - Returns: All of them, each asked for when it is read.
    public func pipelines(pageSize: Int = 100, patience: Duration? = nil) -> Listing<HeldPipeline> {
        Listing(client: self, pageSize: pageSize, patience: patience)
    }

    /// A run that the worker keeps, with all that only a look at one run tells.
    ///
    /// - Parameters:
    ///   - run: Which one.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    /// - Returns: What the worker told.
    /// - Throws: `BusError`; code `unknown_run` for one that is not kept, or that may not be read.
    public func show(run: RunID, patience: Duration? = nil) async throws(BusError) -> HeldRun {
        try HeldRun(try await show(.run, run.text, patience: patience))
    }

    /// A signal or gate that waits, or whose decision is kept.
    ///
    /// - Parameters:
    ///   - signal: Which one.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    /// - Returns: What the worker told.
    /// - Throws: `BusError`; code `unknown_signal` for one that is not there, `forbidden` for one that may not be read.
    public func show(signal: SignalID, patience: Duration? = nil) async throws(BusError) -> HeldSignal {
        try HeldSignal(try await show(.signal, signal.text, patience: patience))
    }

    /// A monitor.
    ///
    /// - Parameters:
    ///   - monitor: Its name.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    /// - Returns: What the worker told.
    /// - Throws: `BusError`; code `unknown_monitor` for one that is not there, `forbidden` for one that may not be read.
    public func show(monitor: String, patience: Duration? = nil) async throws(BusError) -> HeldMonitor {
        try HeldMonitor(try await show(.monitor, monitor, patience: patience))
    }

    /// A pipeline, and how many runs it has.
    ///
    /// - Parameters:
    ///   - pipeline: Its name.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    /// - Returns: What the worker told.
    /// - Throws: `BusError`; code `unknown_pipeline` for one that is not there, `forbidden` for one that may not be read.
    public func show(pipeline: PipelineName, patience: Duration? = nil) async throws(BusError) -> HeldPipeline {
        try HeldPipeline(try await show(.pipeline, pipeline.text, patience: patience))
    }
}

extension JSONObject {
    /// A text that each item has.
    func text(_ key: String) throws(BusError) -> String {
        guard let text = self[key]?.string else {
            throw BusError(
                .badAnswer,
                "An item of the worker has no string `\(key)`.",
                next: "Use a client of the worker's version; `list` and `show` give what the worker told."
            )
        }
        return text
    }

    /// The texts of an array; none where there is no array.
    func texts(_ key: String) -> [String] { self[key]?.array?.compactMap(\.string) ?? [] }
}

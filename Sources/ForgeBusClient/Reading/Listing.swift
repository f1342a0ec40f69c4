public import ForgeBusProtocol

/// An item of a worker, as LIST and SHOW return it.
public protocol HeldItem: Hashable, Sendable {
    /// The kind of these items in LIST.
    static var kind: ListKind { get }

    /// Everything that the worker sent, including members that this version does not know.
    var json: JSONObject { get }

    /// Reads an item from the worker's JSON.
    ///
    /// - Throws: ``BusError`` with code `bad_answer` if a member is missing that each such item has.
    init(_ json: JSONObject) throws(BusError)
}

/// The worker's items of one kind, in the order of names or ids; the client gets each page when the reader needs it.
///
/// An item that appears or disappears meanwhile may be missing; no item comes twice. Each iterator begins again at the
/// first page.
public struct Listing<Item: HeldItem>: AsyncSequence, Sendable {
    let client: BusClient
    let pageSize: Int
    let patience: Duration?

    /// Makes an iterator that begins with the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(listing: self) }

    /// Iterates over the items.
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
        /// - Throws: ``BusError``; code `forbidden` for a kind that the caller may not read, `bad_attribute` for a page
        ///   size that is not 1 to 500, `cancelled` when the task is cancelled while it waits for a page.
        public mutating func next() async throws(BusError) -> Item? { try await next(isolation: nil) }

        /// The next item, without leaving the caller's actor.
        ///
        /// - Throws: ``BusError``, as ``next()`` does.
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
    ///   - pageSize: The number of items per page, 1 to 500.
    ///   - patience: How long the worker may take for each page; nil uses the client's.
    /// - Returns: A sequence of all of them; the client gets each page when the reader needs it.
    public func runs(pageSize: Int = 100, patience: Duration? = nil) -> Listing<HeldRun> {
        Listing(client: self, pageSize: pageSize, patience: patience)
    }

    /// The signals and gates that wait.
    ///
    /// - Parameters:
    ///   - pageSize: The number of items per page, 1 to 500.
    ///   - patience: How long the worker may take for each page; nil uses the client's.
    /// - Returns: A sequence of all of them; the client gets each page when the reader needs it.
    public func signals(pageSize: Int = 100, patience: Duration? = nil) -> Listing<HeldSignal> {
        Listing(client: self, pageSize: pageSize, patience: patience)
    }

    /// Lists the early decisions, for which no signal waits yet.
    ///
    /// - Parameters:
    ///   - pageSize: How many signals a page has, 1 to 500.
    ///   - patience: How long the worker may take for each page; nil uses the client's.
    /// - Returns: All of them; each page is requested when it is read.
    public func earlyDecisions(pageSize: Int = 100, patience: Duration? = nil) -> Listing<HeldEarly> {
        Listing(client: self, pageSize: pageSize, patience: patience)
    }

    /// The monitors that the worker hosts.
    ///
    /// - Parameters:
    ///   - pageSize: The number of items per page, 1 to 500.
    ///   - patience: How long the worker may take for each page; nil uses the client's.
    /// - Returns: A sequence of all of them; the client gets each page when the reader needs it.
    public func monitors(pageSize: Int = 100, patience: Duration? = nil) -> Listing<HeldMonitor> {
        Listing(client: self, pageSize: pageSize, patience: patience)
    }

    /// The pipelines that the worker hosts.
    ///
    /// - Parameters:
    ///   - pageSize: The number of items per page, 1 to 500.
    ///   - patience: How long the worker may take for each page; nil uses the client's.
    /// - Returns: A sequence of all of them; the client gets each page when the reader needs it.
    public func pipelines(pageSize: Int = 100, patience: Duration? = nil) -> Listing<HeldPipeline> {
        Listing(client: self, pageSize: pageSize, patience: patience)
    }

    /// Gets a run that the worker keeps, with the properties that a list leaves nil.
    ///
    /// - Parameters:
    ///   - run: The run's id.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    /// - Returns: The item, in its current state.
    /// - Throws: ``BusError``; code `unknown_run` if the worker does not keep the run, or the caller may not read it.
    public func show(run: RunID, patience: Duration? = nil) async throws(BusError) -> HeldRun {
        try HeldRun(try await show(.run, run.text, patience: patience))
    }

    /// Gets a signal or gate that waits, or whose decision the worker keeps.
    ///
    /// - Parameters:
    ///   - signal: The signal's id.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    /// - Returns: The item, in its current state.
    /// - Throws: ``BusError``; code `unknown_signal` if there is no such signal, `forbidden` if the caller may not read
    ///   it.
    public func show(signal: SignalID, patience: Duration? = nil) async throws(BusError) -> HeldSignal {
        try HeldSignal(try await show(.signal, signal.text, patience: patience))
    }

    /// Gets a monitor.
    ///
    /// - Parameters:
    ///   - monitor: Its name.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    /// - Returns: The item, in its current state.
    /// - Throws: ``BusError``; code `unknown_monitor` if there is no such monitor, `forbidden` if the caller may not
    ///   read it.
    public func show(monitor: String, patience: Duration? = nil) async throws(BusError) -> HeldMonitor {
        try HeldMonitor(try await show(.monitor, monitor, patience: patience))
    }

    /// Gets a pipeline, with its numbers of runs.
    ///
    /// - Parameters:
    ///   - pipeline: Its name.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    /// - Returns: The item, in its current state.
    /// - Throws: ``BusError``; code `unknown_pipeline` if there is no such pipeline, `forbidden` if the caller may not
    ///   read it.
    public func show(pipeline: PipelineName, patience: Duration? = nil) async throws(BusError) -> HeldPipeline {
        try HeldPipeline(try await show(.pipeline, pipeline.text, patience: patience))
    }
}

extension JSONObject {
    /// The string under a key that each item has.
    func text(_ key: String) throws(BusError) -> String {
        guard let text = self[key]?.string else {
            throw BusError(
                .badAnswer,
                "An item that the worker sent has no string `\(key)`.",
                next: "Use a client of the worker's version, or `list` and `show`, which return the JSON as it came."
            )
        }
        return text
    }

    /// The strings of an array; empty if there is no array.
    func texts(_ key: String) -> [String] { self[key]?.array?.compactMap(\.string) ?? [] }
}

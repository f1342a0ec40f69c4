public import ForgeBusProtocol

/// A run, signal, monitor or other item of a worker, as LIST or SHOW returns it.
public protocol ListedItem: Hashable, Sendable {
    /// The kind of list that contains such items.
    static var kind: ListKind { get }

    /// Everything that the worker sent about the item, including members that the client does not know.
    var json: JSONObject { get }

    /// Reads an item that the worker sent.
    ///
    /// - Throws: `BusError` with code `bad_answer` if a required member is missing.
    init(_ json: JSONObject) throws(BusError)
}

extension MonitorItem: ListedItem {
    /// The kind of list that contains monitors.
    public static var kind: ListKind { .monitors }
}

/// The members of items that a list contains.
public protocol ListedMembers: ItemMembers {
    /// The kind of list that contains such items.
    static var kind: ListKind { get }
}

extension Item: ListedItem where Members: ListedMembers {
    /// The kind of list that contains such items.
    public static var kind: ListKind { Members.kind }
}

extension RunMembers: ListedMembers {
    /// The kind of list that contains runs.
    public static var kind: ListKind { .runs }
}

extension SignalMembers: ListedMembers {
    /// The kind of list that contains signals and gates.
    public static var kind: ListKind { .signals }
}

extension EarlyMembers: ListedMembers {
    /// The kind of list that contains early decisions.
    public static var kind: ListKind { .early }
}

extension PipelineMembers: ListedMembers {
    /// The kind of list that contains pipelines.
    public static var kind: ListKind { .pipelines }
}

/// The worker's items of one kind; the client requests each page when the reader needs it.
///
/// Runs and signals are in the order of their age, and items of other kinds in the order of their names.
///
/// If an item appears or disappears while you iterate, the sequence may lack this item. No item comes twice. Each
/// iterator begins with the first page.
public struct Listing<Listed: ListedItem>: AsyncSequence, Sendable {
    let client: BusClient
    var filter = ListFilter()
    var order = ListOrder.oldest
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

        /// Returns the next item, and requests the next page if needed; returns nil after the last item.
        ///
        /// - Throws: `BusError` with code `bad_attribute` if the page size is not 1 to 500, `forbidden` if the client
        ///   may not read all items of this kind, `cancelled` if the task is cancelled while the client waits for a
        ///   page, `bad_answer` if an item cannot be read, `timeout` if no answer came in time, or `unreachable` if the
        ///   request could not be sent. The code is also `bad_attribute` if the filter is not valid for this kind.
        public mutating func next() async throws(BusError) -> Listed? { try await next(isolation: nil) }

        /// Returns the next item on the caller's actor; returns nil after the last item.
        ///
        /// - Throws: `BusError`, as ``next()`` does.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(BusError) -> Listed? {
            while items.isEmpty {
                let cursor: String?
                switch next {
                case .first: cursor = nil
                case .at(let place): cursor = place
                case .end: return nil
                }
                let page = try await listing.client.list(
                    Listed.kind,
                    matching: listing.filter,
                    order: listing.order,
                    limit: listing.pageSize,
                    cursor: cursor,
                    patience: listing.patience
                )
                items = page.items[...]
                next = page.cursor.map(NextPage.at) ?? .end
            }
            return try Listed(items.removeFirst())
        }
    }
}

extension BusClient {
    /// Lists the runs that the worker keeps: unfinished runs, and ended runs whose result is still kept.
    ///
    /// ```swift
    /// func parked(_ client: BusClient) async throws {
    ///     for try await run in client.runs(matching: ListFilter(state: .parked)) { print(run.id, run.reason ?? "") }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - filter: The conditions that the requested runs meet; by default, all runs are requested.
    ///   - order: Whether the oldest or the newest run comes first, by the time of acceptance; by default the oldest.
    ///   - pageSize: The largest number of runs on each page, 1 to 500; 100 by default.
    ///   - patience: How long to wait for each page; nil uses the client's patience.
    /// - Returns: The runs; the client requests each page when the reader needs it.
    public func runs(
        matching filter: ListFilter = ListFilter(),
        order: ListOrder = .oldest,
        pageSize: Int = 100,
        patience: Duration? = nil
    ) -> Listing<RunItem> {
        Listing(client: self, filter: filter, order: order, pageSize: pageSize, patience: patience)
    }

    /// Lists the signals and gates that wait.
    ///
    /// - Parameters:
    ///   - filter: The conditions that the requested signals meet; by default, all signals are requested. The worker
    ///     refuses a filter with a state.
    ///   - order: Whether the oldest or the newest signal comes first, by the time when its wait began; by default the
    ///     oldest.
    ///   - pageSize: The largest number of signals on each page, 1 to 500; 100 by default.
    ///   - patience: How long to wait for each page; nil uses the client's patience.
    /// - Returns: The signals and gates; the client requests each page when the reader needs it.
    public func signals(
        matching filter: ListFilter = ListFilter(),
        order: ListOrder = .oldest,
        pageSize: Int = 100,
        patience: Duration? = nil
    ) -> Listing<SignalItem> {
        Listing(client: self, filter: filter, order: order, pageSize: pageSize, patience: patience)
    }

    /// Lists the early decisions: one item for each signal.
    ///
    /// - Parameters:
    ///   - pageSize: The largest number of signals on each page, 1 to 500; 100 by default.
    ///   - patience: How long to wait for each page; nil uses the client's patience.
    /// - Returns: The signals with their early decisions; the client requests each page when the reader needs it.
    public func earlyDecisions(pageSize: Int = 100, patience: Duration? = nil) -> Listing<EarlyItem> {
        Listing(client: self, pageSize: pageSize, patience: patience)
    }

    /// Lists the monitors that the worker hosts.
    ///
    /// - Parameters:
    ///   - pageSize: The largest number of monitors on each page, 1 to 500; 100 by default.
    ///   - patience: How long to wait for each page; nil uses the client's patience.
    /// - Returns: The monitors; the client requests each page when the reader needs it.
    public func monitors(pageSize: Int = 100, patience: Duration? = nil) -> Listing<MonitorItem> {
        Listing(client: self, pageSize: pageSize, patience: patience)
    }

    /// Lists the pipelines that the worker hosts.
    ///
    /// - Parameters:
    ///   - pageSize: The largest number of pipelines on each page, 1 to 500; 100 by default.
    ///   - patience: How long to wait for each page; nil uses the client's patience.
    /// - Returns: The pipelines; the client requests each page when the reader needs it.
    public func pipelines(pageSize: Int = 100, patience: Duration? = nil) -> Listing<PipelineItem> {
        Listing(client: self, pageSize: pageSize, patience: patience)
    }

    /// Requests one run, with all its properties.
    ///
    /// - Parameters:
    ///   - run: The run's id.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    /// - Returns: The run in its current state.
    /// - Throws: `BusError` with code `bad_name` if `run` is not a valid name, `unknown_run` if the worker keeps no
    ///   such run, `forbidden` if the client may not read it, `timeout` if no answer came in time, or `unreachable` if
    ///   the request could not be sent.
    public func show(run: RunID, patience: Duration? = nil) async throws(BusError) -> RunItem {
        try RunItem(try await show(.run, run.text, patience: patience))
    }

    /// Requests one signal or gate that waits, or whose outcome or early decisions the worker keeps.
    ///
    /// - Parameters:
    ///   - signal: The id of the signal or gate.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    /// - Returns: The signal or gate in its current state.
    /// - Throws: `BusError` with code `bad_name` if `signal` is not a valid name, `unknown_signal` if the worker has no
    ///   such signal, `forbidden` if the client may not read it, `timeout` if no answer came in time, or `unreachable`
    ///   if the request could not be sent.
    public func show(signal: SignalID, patience: Duration? = nil) async throws(BusError) -> SignalItem {
        try SignalItem(try await show(.signal, signal.text, patience: patience))
    }

    /// Requests one monitor.
    ///
    /// - Parameters:
    ///   - monitor: The monitor's name.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    /// - Returns: The monitor in its current state.
    /// - Throws: `BusError` with code `bad_name` if `monitor` is not a valid name, `unknown_monitor` if the worker has
    ///   no such monitor, `forbidden` if the client may not read it, `timeout` if no answer came in time, or
    ///   `unreachable` if the request could not be sent.
    public func show(monitor: String, patience: Duration? = nil) async throws(BusError) -> MonitorItem {
        try MonitorItem(try await show(.monitor, monitor, patience: patience))
    }

    /// Requests one pipeline, with its seeds, its outputs, its slots and the numbers of its runs.
    ///
    /// - Parameters:
    ///   - pipeline: The pipeline's name.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    /// - Returns: The pipeline, with the current numbers of its runs.
    /// - Throws: `BusError` with code `bad_name` if `pipeline` is not a valid name, `unknown_pipeline` if the worker
    ///   has no such pipeline, `forbidden` if the client may not read it, `timeout` if no answer came in time, or
    ///   `unreachable` if the request could not be sent.
    public func show(pipeline: PipelineName, patience: Duration? = nil) async throws(BusError) -> PipelineItem {
        try PipelineItem(try await show(.pipeline, pipeline.text, patience: patience))
    }
}

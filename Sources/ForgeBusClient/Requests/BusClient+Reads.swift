public import ForgeBusProtocol

/// Reads the worker's description and its items.
extension BusClient {
    /// Requests one page of the worker's items of one kind; the client needs the right to read all items of this kind.
    ///
    /// To get all pages as typed values, use ``runs(matching:order:pageSize:patience:)``,
    /// ``signals(matching:order:pageSize:patience:)``,
    /// ``earlyDecisions(pageSize:patience:)``, ``monitors(pageSize:patience:)`` or ``pipelines(pageSize:patience:)``.
    ///
    /// Runs and signals are in the order of their age, and items of other kinds in the order of their names. If an item
    /// appears or disappears between two requests, the pages may lack this item. No item comes twice. A page may have
    /// fewer items than `limit`, or none, although more pages follow: only a nil cursor marks the last page.
    ///
    /// - Parameters:
    ///   - kind: The kind of the items.
    ///   - filter: The conditions that the requested items meet; by default, all items are requested.
    ///   - order: The order of runs and signals; the oldest comes first by default.
    ///   - limit: The largest number of items on the page, 1 to 500; 100 by default.
    ///   - cursor: The cursor of the previous page; nil, the default, requests the first page.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    /// - Returns: The page; its cursor is nil on the last page.
    /// - Throws: `BusError` with code `bad_attribute` if `limit` is not 1 to 500, if `cursor` is not from a page of
    ///   this kind, or if the filter or the order is not valid for this kind. The code is `forbidden` if the
    ///   client may not read all items of this kind, `timeout` if no answer came in time, or `unreachable` if the
    ///   request could not be sent.
    public func list(
        _ kind: ListKind,
        matching filter: ListFilter = ListFilter(),
        order: ListOrder = .oldest,
        limit: Int = 100,
        cursor: String? = nil,
        patience: Duration? = nil
    ) async throws(BusError) -> Page {
        let request = ListRequest(kind: kind, limit: limit, cursor: cursor, filter: filter, order: order)
        let answer = try await ask(.list(request), patience: patience)
        guard case .page(let page) = answer else { throw Errors.unexpected("PAGE", answer) }
        return page
    }

    /// Requests one item, a history, or the output of a run, as a JSON object.
    ///
    /// For a run, signal, monitor or pipeline, the object has at least the members that
    /// ``list(_:matching:order:limit:cursor:patience:)`` returns for the same item.
    ///
    /// - Parameters:
    ///   - kind: The kind of the item.
    ///   - name: The item's name or id. For a history, the name or id of a run, signal or monitor; for an output, the
    ///     id of a run; for the worker, any name.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    /// - Returns: The item in its current state, the history or the output.
    /// - Throws: `BusError` with code `bad_name` if `name` is not a valid name; `unknown_run`, `unknown_signal`,
    ///   `unknown_monitor` or `unknown_pipeline` if there is no such item; `forbidden` if the client may not read the
    ///   item; `timeout` if no answer came in time; or `unreachable` if the request could not be sent. For a history or
    ///   an output, the code is `unknown_run` if the worker does not know the name, `store_failed` if it cannot read
    ///   its store, or `busy` if it reads too many histories and outputs already.
    public func show(
        _ kind: ItemKind,
        _ name: String,
        patience: Duration? = nil
    ) async throws(BusError) -> JSONObject {
        let request = ShowRequest(kind, try Name(name))
        let answer = try await ask(.show(request), patience: patience)
        guard case .shown(let item) = answer else { throw Errors.unexpected("SHOWN", answer) }
        return item
    }

    /// Requests the worker's own state, as a JSON object: its phase, its checks, its failing monitors and its load.
    ///
    /// - Parameter patience: How long to wait for the answer; nil uses the client's patience.
    /// - Returns: The object that `Protocol.md` describes for the kind `worker`, in the section about SHOWN.
    /// - Throws: `BusError` with code `forbidden` if the client may not read `worker`, `unknown_kind` if the worker is
    ///   too old to show its state, `timeout` if no answer came in time, or `unreachable` if the request could not be
    ///   sent.
    public func worker(patience: Duration? = nil) async throws(BusError) -> WorkerItem {
        let answer = try await ask(.show(.worker), patience: patience)
        guard case .shown(let item) = answer else { throw Errors.unexpected("SHOWN", answer) }
        return try WorkerItem(item)
    }

    /// Requests the worker's name, protocol versions and limits.
    ///
    /// You need not call this method before you send other requests.
    ///
    /// - Parameter patience: How long to wait for the answer; nil uses the client's patience.
    /// - Returns: The worker's WELCOME; the worker also answers while it starts or stops.
    /// - Throws: `BusError` with code `timeout` if no answer came in time, or `unreachable` if the request could not be
    ///   sent.
    public func hello(patience: Duration? = nil) async throws(BusError) -> Welcome {
        let answer = try await ask(.hello, patience: patience)
        guard case .welcome(let welcome) = answer else { throw Errors.unexpected("WELCOME", answer) }
        return welcome
    }

    /// Checks whether the worker itself answers.
    ///
    /// An open connection does not show this: the worker's network library can keep the connection open while the
    /// worker itself is stuck.
    ///
    /// - Parameter patience: How long to wait for the answer; nil uses the client's patience.
    /// - Returns: The worker's PONG; the worker also answers while it starts or stops.
    /// - Throws: `BusError` with code `timeout` if no answer came in time, or `unreachable` if the request could not be
    ///   sent.
    public func ping(patience: Duration? = nil) async throws(BusError) -> Pong {
        let answer = try await ask(.ping([]), patience: patience)
        guard case .pong(let pong) = answer else { throw Errors.unexpected("PONG", answer) }
        return pong
    }
}

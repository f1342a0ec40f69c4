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
    /// appears or disappears between two requests, the pages may lack this item. No item comes twice. If few items match the
    /// filter, a page may have few items or none, although its cursor says that more pages follow.
    ///
    /// - Parameters:
    ///   - kind: The kind of the items.
    ///   - filter: Which of the items are requested; all by default.
    ///   - order: The order of runs and signals; the oldest comes first by default.
    ///   - limit: The largest number of items on the page, 1 to 500; 100 by default.
    ///   - cursor: The cursor of the previous page; nil, the default, requests the first page.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    /// - Returns: The page; its cursor is nil on the last page.
    /// - Throws: `BusError` with code `bad_attribute` if `limit` is not 1 to 500 or this kind does not take the filter, `forbidden` if the client may not
    ///   read all items of this kind, `timeout` if no answer came in time, or `unreachable` if the request could not be
    ///   sent.
    public func list(
        _ kind: ListKind,
        matching filter: ListFilter = ListFilter(),
        order: ListOrder = .oldest,
        limit: Int = 100,
        cursor: String? = nil,
        patience: Duration? = nil
    ) async throws(BusError) -> Page {
        let request = ListRequest(kind: kind, limit: limit, cursor: cursor, filter: filter, order: order)
        guard case .page(let page) = try await ask(.list(request), patience: patience) else {
            throw .unexpected("PAGE")
        }
        return page
    }

    /// Requests one item, or a history, as a JSON object.
    ///
    /// For a run, signal, monitor or pipeline, the object has at least the members that
    /// ``list(_:matching:order:limit:cursor:patience:)`` returns for the same item.
    ///
    /// - Parameters:
    ///   - kind: The kind of the item.
    ///   - name: The item's name or id; for a history, the name or id of a run, signal or monitor.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    /// - Returns: The item in its current state, or the history.
    /// - Throws: `BusError` with code `bad_name` if `name` is not a valid name; `unknown_run`, `unknown_signal`,
    ///   `unknown_monitor` or `unknown_pipeline` if there is no such item; `forbidden` if the client may not read the
    ///   item; `timeout` if no answer came in time; or `unreachable` if the request could not be sent. For a history,
    ///   the code is `unknown_run` if the worker does not know the name, and `store_failed` if it cannot read the
    ///   journal.
    public func show(
        _ kind: ItemKind,
        _ name: String,
        patience: Duration? = nil
    ) async throws(BusError) -> JSONObject {
        let request = ShowRequest(kind, try Name(name))
        guard case .shown(let item) = try await ask(.show(request), patience: patience) else {
            throw .unexpected("SHOWN")
        }
        return item
    }

    /// Requests the worker's own state, as a JSON object: what holds it up, which monitors fail, how much it has to do.
    ///
    /// - Parameter patience: How long to wait for the answer; nil uses the client's patience.
    /// - Returns: The members of the section SHOWN of the protocol for the kind `worker`.
    /// - Throws: `BusError` with code `forbidden` if the client may not read `worker`, `unknown_kind` if the worker is too
    ///   old, `timeout` if no answer came in time, or `unreachable` if the request could not be sent.
    public func worker(patience: Duration? = nil) async throws(BusError) -> JSONObject {
        guard case .shown(let item) = try await ask(.show(.worker), patience: patience) else {
            throw .unexpected("SHOWN")
        }
        return item
    }

    /// Requests the worker's name, protocol versions and limits; no other request requires this one.
    ///
    /// - Parameter patience: How long to wait for the answer; nil uses the client's patience.
    /// - Returns: The worker's WELCOME; the worker also answers while it starts or stops.
    /// - Throws: `BusError` with code `timeout` if no answer came in time, or `unreachable` if the request could not be
    ///   sent.
    public func hello(patience: Duration? = nil) async throws(BusError) -> Welcome {
        guard case .welcome(let welcome) = try await ask(.hello, patience: patience) else {
            throw .unexpected("WELCOME")
        }
        return welcome
    }

    /// Checks whether the worker's own code answers, because its network library can work without it.
    ///
    /// - Parameter patience: How long to wait for the answer; nil uses the client's patience.
    /// - Returns: The worker's PONG; the worker also answers while it starts or stops.
    /// - Throws: `BusError` with code `timeout` if no answer came in time, or `unreachable` if the request could not be
    ///   sent.
    public func ping(patience: Duration? = nil) async throws(BusError) -> Pong {
        guard case .pong(let pong) = try await ask(.ping([]), patience: patience) else { throw .unexpected("PONG") }
        return pong
    }
}

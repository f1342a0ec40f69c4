public import ForgeBusProtocol

/// The worker's description, and its items.
extension BusClient {
    /// Requests one page of the worker's items of one kind; the client needs the right to read all of them.
    ///
    /// To get all pages as typed values, use ``runs(pageSize:patience:)``, ``signals(pageSize:patience:)``,
    /// ``monitors(pageSize:patience:)`` or ``pipelines(pageSize:patience:)``.
    ///
    /// Items are sorted by name. An item that appears or disappears between two pages may be missing. No item comes
    /// twice.
    ///
    /// - Parameters:
    ///   - kind: The kind of the items.
    ///   - limit: The most items on the page, 1 to 500; 100 by default.
    ///   - cursor: The cursor of the previous page; nil, the default, for the first page.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    /// - Returns: The page; its cursor is nil on the last page.
    /// - Throws: `BusError` with code `bad_attribute` if `limit` is not 1 to 500, `forbidden` if the client may not
    ///   read all items of this kind, or `timeout` if no answer came in time.
    public func list(
        _ kind: ListKind,
        limit: Int = 100,
        cursor: String? = nil,
        patience: Duration? = nil
    ) async throws(BusError) -> Page {
        let request = ListRequest(kind: kind, limit: limit, cursor: cursor)
        guard case .page(let page) = try await ask(.list(request), patience: patience) else {
            throw .unexpected("PAGE")
        }
        return page
    }

    /// Requests one item, or a history, as a JSON object.
    ///
    /// For a run, signal, monitor or pipeline, the object has at least the members that
    /// ``list(_:limit:cursor:patience:)`` returns for the item.
    ///
    /// - Parameters:
    ///   - kind: The kind of the item.
    ///   - name: The item's name or id; for a history, the name or id of a run, signal or monitor.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    /// - Returns: The item in its current state, or the history.
    /// - Throws: `BusError` with code `bad_name` if `name` is not a valid name, `unknown_run`, `unknown_signal`,
    ///   `unknown_monitor` or `unknown_pipeline` if there is no such item, `forbidden` if the client may not read it,
    ///   or `timeout` if no answer came in time.
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

    /// Requests the worker's name, protocol versions and limits; all other requests work without this one.
    ///
    /// - Parameter patience: How long to wait for the answer; nil uses the client's patience.
    /// - Returns: The worker's WELCOME; the worker also answers while it starts or stops.
    /// - Throws: `BusError` with code `timeout` if no answer came in time.
    public func hello(patience: Duration? = nil) async throws(BusError) -> Welcome {
        guard case .welcome(let welcome) = try await ask(.hello, patience: patience) else {
            throw .unexpected("WELCOME")
        }
        return welcome
    }

    /// Checks whether the worker's program answers, and not only its network library.
    ///
    /// - Parameter patience: How long to wait for the answer; nil uses the client's patience.
    /// - Returns: The worker's answer; the worker also answers while it starts or stops.
    /// - Throws: `BusError` with code `timeout` if no answer came in time.
    public func ping(patience: Duration? = nil) async throws(BusError) -> Pong {
        guard case .pong(let pong) = try await ask(.ping([]), patience: patience) else { throw .unexpected("PONG") }
        return pong
    }
}

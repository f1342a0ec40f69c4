public import ForgeBusProtocol

/// Requests that only read.
extension BusClient {
    /// Gets one page of the worker's items of a kind, as JSON; the caller must be allowed to read all items of the
    /// kind.
    ///
    /// ``runs(pageSize:patience:)``, ``signals(pageSize:patience:)``, ``monitors(pageSize:patience:)`` and
    /// ``pipelines(pageSize:patience:)`` get all pages, and return typed values.
    ///
    /// Pages are ordered by names or ids. An item that appears or disappears between two pages may be missing; no item
    /// comes twice.
    ///
    /// - Parameters:
    ///   - kind: The kind of the items.
    ///   - limit: The most items on the page, 1 to 500.
    ///   - cursor: The cursor of the previous page; nil gets the first page.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    /// - Returns: The page; its cursor is nil if it is the last page.
    /// - Throws: ``BusError``; code `bad_attribute` for another limit, `forbidden` for a kind that the caller may not
    ///   read.
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

    /// Gets one item as JSON, with at least the members that it has in ``list(_:limit:cursor:patience:)``.
    ///
    /// - Parameters:
    ///   - kind: The kind of the item.
    ///   - name: Its name or id.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    /// - Returns: The item, in its current state.
    /// - Throws: ``BusError``; code `unknown_run`, `unknown_signal`, `unknown_monitor` or `unknown_pipeline` if the
    ///   worker has no such item, `forbidden` if the caller may not read it.
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

    /// Gets the worker's name, protocol versions and limits; other requests work without it.
    ///
    /// - Parameter patience: How long the worker may take to answer; nil uses the client's.
    /// - Returns: The worker's answer; the worker also answers while it starts or stops.
    /// - Throws: ``BusError`` with code `timeout` when no answer came.
    public func hello(patience: Duration? = nil) async throws(BusError) -> Welcome {
        guard case .welcome(let welcome) = try await ask(.hello, patience: patience) else {
            throw .unexpected("WELCOME")
        }
        return welcome
    }

    /// Checks that the worker itself answers, not only its connection.
    ///
    /// - Parameter patience: How long the worker may take to answer; nil uses the client's.
    /// - Returns: The worker's answer; the worker also answers while it starts or stops.
    /// - Throws: ``BusError`` with code `timeout` when no answer came.
    public func ping(patience: Duration? = nil) async throws(BusError) -> Pong {
        guard case .pong(let pong) = try await ask(.ping([]), patience: patience) else { throw .unexpected("PONG") }
        return pong
    }
}

public import ForgeBusProtocol

/// What the worker is and holds.
extension BusClient {
    /// A page of what the worker holds, as it tells it, for a caller who may read everything of its kind.
    ///
    /// ``runs(pageSize:patience:)``, ``signals(pageSize:patience:)``, ``monitors(pageSize:patience:)`` and
    /// ``pipelines(pageSize:patience:)`` ask for all pages, and give typed values.
    ///
    /// Pages are ordered by names or ids. What comes or goes between two of them may be missing; nothing comes twice.
    ///
    /// - Parameters:
    ///   - kind: What is listed.
    ///   - limit: The most items of the page, 1 to 500.
    ///   - cursor: Where the page before this one ended, as it says; nil begins.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    /// - Returns: The page; its cursor is nil where it is the last one.
    /// - Throws: `BusError`; code `bad_attribute` for another limit, `forbidden` for a kind that may not be read.
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

    /// One thing the worker holds, as an object that has at least the members that ``list(_:limit:cursor:patience:)`` gives it.
    ///
    /// - Parameters:
    ///   - kind: What it is.
    ///   - name: Its name or id.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    /// - Returns: The item, as it stands now.
    /// - Throws: `BusError`; code `unknown_run`, `unknown_signal`, `unknown_monitor` or `unknown_pipeline` for what is
    ///   not there, `forbidden` for what may not be read.
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

    /// Asks who the worker is, what it speaks and what its limits are; nobody has to ask first.
    ///
    /// - Parameter patience: How long the worker may take to answer; nil uses the client's.
    /// - Returns: What it says, also while it starts or stops.
    /// - Throws: `BusError` with code `timeout` when no answer came.
    public func hello(patience: Duration? = nil) async throws(BusError) -> Welcome {
        guard case .welcome(let welcome) = try await ask(.hello, patience: patience) else {
            throw .unexpected("WELCOME")
        }
        return welcome
    }

    /// Asks whether the worker lives, application to application.
    ///
    /// - Parameter patience: How long the worker may take to answer; nil uses the client's.
    /// - Returns: Its answer, also while it starts or stops.
    /// - Throws: `BusError` with code `timeout` when no answer came.
    public func ping(patience: Duration? = nil) async throws(BusError) -> Pong {
        guard case .pong(let pong) = try await ask(.ping([]), patience: patience) else { throw .unexpected("PONG") }
        return pong
    }
}

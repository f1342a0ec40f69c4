public import ForgeBusProtocol

/// What the worker is and holds.
extension BusClient {
    /// A page of what the worker holds, for a caller who may read everything of its kind.
    ///
    /// Pages are ordered by names or ids. What comes or goes between two of them may be missing; nothing comes twice.
    ///
    /// - Parameters:
    ///   - kind: What is listed.
    ///   - limit: The most items of the page, 1 to 500.
    ///   - cursor: Where the page before this one ended, as it says; nil begins.
    /// - Returns: The page; its cursor is nil where it is the last one.
    /// - Throws: ``BusError``; code `bad_attribute` for another limit, `forbidden` for a kind that may not be read.
    public func list(_ kind: ListKind, limit: Int = 100, cursor: String? = nil) async throws(BusError) -> Page {
        let request = ListRequest(kind: kind, limit: limit, cursor: cursor)
        guard case .page(let page) = try await ask(.list(request)) else { throw .unexpected("PAGE") }
        return page
    }

    /// One thing the worker holds, as an object that has at least the members that ``list(_:limit:cursor:)`` gives it.
    ///
    /// - Parameters:
    ///   - kind: What it is.
    ///   - name: Its name or id.
    /// - Returns: The item, as it stands now.
    /// - Throws: ``BusError``; code `unknown_run`, `unknown_signal`, `unknown_monitor` or `unknown_pipeline` for what is
    ///   not there, `forbidden` for what may not be read.
    public func show(_ kind: ItemKind, _ name: Name) async throws(BusError) -> JSONObject {
        guard case .shown(let item) = try await ask(.show(ShowRequest(kind, name))) else { throw .unexpected("SHOWN") }
        return item
    }

    /// Asks who the worker is, what it speaks and what its limits are; nobody has to ask first.
    ///
    /// - Returns: What it says, also while it starts or stops.
    /// - Throws: ``BusError`` with code `timeout` when no answer came.
    public func hello() async throws(BusError) -> Welcome {
        guard case .welcome(let welcome) = try await ask(.hello) else { throw .unexpected("WELCOME") }
        return welcome
    }

    /// Asks whether the worker lives, application to application.
    ///
    /// - Returns: Its answer, also while it starts or stops.
    /// - Throws: ``BusError`` with code `timeout` when no answer came.
    public func ping() async throws(BusError) -> Pong {
        guard case .pong(let pong) = try await ask(.ping([])) else { throw .unexpected("PONG") }
        return pong
    }
}

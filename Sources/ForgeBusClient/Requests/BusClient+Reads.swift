public import ForgeBusProtocol

/// What the worker is and holds.
extension BusClient {
    /// A page of what the worker holds.
    ///
    /// - Throws: ``BusError``.
    public func list(_ kind: ListKind, limit: Int = 100, cursor: String? = nil) async throws(BusError) -> Page {
        let request = ListRequest(kind: kind, limit: limit, cursor: cursor)
        guard case .page(let page) = try await ask(.list(request)) else { throw .unexpected("PAGE") }
        return page
    }

    /// One thing the worker holds, as an object that has at least the members that ``list(_:limit:cursor:)`` gives it.
    ///
    /// - Throws: ``BusError``; code `unknown_run`, `unknown_signal`, `unknown_monitor` or `unknown_pipeline` for what is
    ///   not there.
    public func show(_ kind: ItemKind, _ name: Name) async throws(BusError) -> JSONObject {
        guard case .shown(let item) = try await ask(.show(ShowRequest(kind, name))) else { throw .unexpected("SHOWN") }
        return item
    }

    /// Asks who the worker is, what it speaks and what its limits are; nobody has to ask first.
    ///
    /// - Throws: ``BusError``.
    public func hello() async throws(BusError) -> Welcome {
        guard case .welcome(let welcome) = try await ask(.hello) else { throw .unexpected("WELCOME") }
        return welcome
    }

    /// Asks whether the worker lives, application to application.
    ///
    /// - Throws: ``BusError``.
    public func ping() async throws(BusError) -> Pong {
        guard case .pong(let pong) = try await ask(.ping([])) else { throw .unexpected("PONG") }
        return pong
    }
}

public import ForgeBusProtocol
public import ForgeOrchestrator

extension PipelineContext {
    /// Opens a gate and waits for its decision.
    ///
    /// While it waits, the run holds no slot.
    ///
    /// The gate belongs to this action of this run. The requester gets the id, by PROGRESS, only after it is registered
    /// and committed; a decision that came earlier counts. If the same action opens it again, it returns the first
    /// decision.
    ///
    /// - Parameters:
    ///   - id: The id for COMPLETE and REJECT; no other owner may have it.
    ///   - deadline: How long it waits before it expires; nil waits for ever.
    ///   - rule: Who may decide it, of those with the right to complete it; any rule but `anybody` needs keys.
    /// - Returns: The decision. ``GateDecision/closed(why:)`` if the run must end or the worker stops.
    /// - Throws: ``BusError`` with code `bad_name` for an id that is no name, `id_taken` or `busy`, with code `forbidden` for
    ///   a rule that needs keys if there are none, and with code `unreachable` outside an action that a worker runs.
    public func gate(
        _ id: SignalID,
        deadline: Duration? = nil,
        rule: GateRule = .anybody
    ) async throws(BusError) -> GateDecision {
        try await wait(id, kind: .gate, deadline: deadline, rule: rule)
    }

    /// Waits for a plain signal, which can only be completed.
    ///
    /// While it waits, the run holds no slot.
    ///
    /// - Parameter id: The id for COMPLETE; no other owner may have it.
    /// - Returns: The sent value, or `null` if none was sent; nil if the run must end or the worker stops.
    /// - Throws: ``BusError`` with code `bad_name` for an id that is no name, `id_taken` or `busy`, and with code
    ///   `unreachable` outside an action that a worker runs.
    public func signal(_ id: SignalID) async throws(BusError) -> JSONValue? {
        if case .approved(let value) = try await wait(id, kind: .signal, deadline: nil, rule: .anybody) { return value }
        return nil
    }

    private func wait(
        _ id: SignalID,
        kind: SignalKind,
        deadline: Duration?,
        rule: GateRule
    ) async throws(BusError) -> GateDecision {
        guard let host = runHost, let action = currentActionID else { throw .noWorker(id, kind) }
        let owner = SignalOwner.action(host.run, action.rawValue)
        return try await host.loop.decision(on: try id.name, kind: kind, owner: owner, deadline: deadline, rule: rule)
    }
}

extension BusError {
    /// Nobody can decide: the context belongs to no run of a worker, or no action of the run executes.
    fileprivate static func noWorker(_ id: SignalID, _ kind: SignalKind) -> BusError {
        BusError(
            .unreachable,
            "The \(kind.rawValue) \(id) can be opened only by an action that a worker runs; here nobody could decide it.",
            next: "Run the pipeline on a BusWorker; in a test on a TestWorker (import ForgeBusTesting)."
        )
    }
}

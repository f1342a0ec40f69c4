public import ForgeBusProtocol
public import ForgeOrchestrator

extension PipelineContext {
    /// Opens a gate and waits for its decision.
    ///
    /// While the action waits, the run holds no slot.
    ///
    /// The gate belongs to this action of this run. The run's listeners get the id in a PROGRESS answer after the id is
    /// registered and committed. An early decision counts only if its sender asked the worker to keep it. If the same
    /// action opens the gate again after the decision, the action gets this decision again.
    ///
    /// - Parameters:
    ///   - id: The id for COMPLETE and REJECT; it must not belong to another owner.
    ///   - deadline: How long the gate waits before it expires; nil waits for ever.
    ///   - rule: Which principals may decide the gate, and how many votes it needs. Each of these principals also needs
    ///     the right to complete the id. A rule that treats principals differently needs a worker with keys.
    /// - Returns: The decision; ``GateDecision/closed(why:)`` if the run must end, the worker stops, the task is
    ///   cancelled, the action opens the gate again during this wait, or the worker no longer keeps the decision.
    /// - Throws: `BusError` with code `bad_name` for a malformed id, `id_taken` if the id has another owner, `busy` if
    ///   too many signals wait, `bad_value` for a rule that is not valid, `forbidden` for a rule that needs keys on a
    ///   worker without keys, or `unreachable` outside an action that a worker runs.
    public func gate(
        _ id: SignalID,
        deadline: Duration? = nil,
        rule: GateRule = .anybody
    ) async throws(BusError) -> GateDecision {
        try await wait(id, kind: .gate, deadline: deadline, rule: rule)
    }

    /// Waits for a plain signal, which can only be completed.
    ///
    /// While the action waits, the run holds no slot.
    ///
    /// - Parameter id: The id for COMPLETE; it must not belong to another owner.
    /// - Returns: The sent value, or `null` if the completion had no value; nil if the run must end, the worker stops,
    ///   the task is cancelled, the action opens the signal again during this wait, or the worker no longer keeps the
    ///   completion.
    /// - Throws: `BusError` with code `bad_name` for a malformed id, `id_taken` if the id has another owner, `busy`
    ///   if too many signals wait, or `unreachable` outside an action that a worker runs.
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
        guard let host = runHost, let action = currentActionID else { throw .noWorker(id, kind, in: self) }
        let owner = SignalOwner.action(host.run, action.rawValue)
        return try await host.loop.decision(on: try id.name, kind: kind, owner: owner, deadline: deadline, rule: rule)
    }
}

extension BusError {
    /// The error for a signal that nobody could decide.
    ///
    /// The context belongs to no run of a worker, or no action of the run executes.
    fileprivate static func noWorker(_ id: SignalID, _ kind: SignalKind, in context: PipelineContext) -> BusError {
        Errors.nobodyDecides(id.text, kind.rawValue, hasWorker: context.runHost != nil)
    }
}

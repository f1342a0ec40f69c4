public import ForgeBusProtocol
public import ForgeOrchestrator

/// Signals and gates of the worker's process, outside of any run.
extension BusWorker {
    /// Registers a plain signal, so that COMPLETE under `id` completes it.
    ///
    /// A plain signal ends only by its completion. When the worker stops, the signal's waiters keep waiting, unless
    /// they have a deadline. A ``gate(_:owner:deadline:rule:)`` is closed instead.
    ///
    /// With a durable store, announce the signal again in the next process: it completes immediately if a COMPLETE came
    /// in the meantime. The worker forgets a signal that nobody has announced again for
    /// ``WorkerConfiguration/signalRetention``.
    ///
    /// The call returns after the id is registered and committed. Only then tell others the id.
    ///
    /// - Throws: `BusError` with code `bad_name` for a malformed id, `id_taken` if the id has another owner, `busy`
    ///   if too many signals wait, or `closed` when the worker stops; otherwise the error that kept ``run()`` from
    ///   serving.
    public func announce(_ signal: CompletionSignal, under id: SignalID) async throws {
        let name = try id.name
        let loop = try await lifecycle.bound().loop
        let owner = SignalOwner.process("signal \(loop.waits.mint().number)")
        try await loop.announce(signal, under: name, owner: owner)
    }

    /// Opens a gate outside any run and waits for its decision.
    ///
    /// - Parameters:
    ///   - id: The id for COMPLETE and REJECT.
    ///   - owner: The owner's name. The same owner may open the gate again; if the gate is already decided, the owner
    ///     gets that decision.
    ///   - deadline: How long the gate waits before it expires; nil waits for ever.
    ///   - rule: Which principals may decide the gate, and how many votes it needs. Each of these principals also needs
    ///     the right to complete the id. A rule that treats principals differently needs a worker with keys.
    /// - Returns: The decision; ``GateDecision/closed(why:)`` if the worker stops, the task is cancelled, the owner
    ///   opens the gate again during this wait, or the worker no longer keeps the decision.
    /// - Throws: `BusError` with code `bad_name` for a malformed id, `id_taken` if the id has another owner, `busy`
    ///   if too many signals wait, `bad_value` for a rule that is not valid, or `forbidden` for a rule that needs keys on a
    ///   worker without keys; otherwise the error that kept ``run()`` from serving.
    public func gate(
        _ id: SignalID,
        owner: String,
        deadline: Duration? = nil,
        rule: GateRule = .anybody
    ) async throws -> GateDecision {
        let name = try id.name
        let loop = try await lifecycle.bound().loop
        return try await loop.decision(on: name, kind: .gate, owner: .process(owner), deadline: deadline, rule: rule)
    }
}

public import ForgeBusProtocol
public import ForgeOrchestrator

/// Signals and gates of the worker's process, outside of any run.
extension BusWorker {
    /// Registers a plain signal, so that COMPLETE under `id` completes it.
    ///
    /// A plain signal has no other end than its completion: when the worker stops, whoever waits for it goes on
    /// waiting, unless with a deadline. A ``gate(_:owner:deadline:rule:)`` is told.
    ///
    /// With a store that survives, the process that takes this one's place announces it again, and learns at once if it was
    /// completed meanwhile. What nobody has announced again for ``WorkerConfiguration/signalRetention`` is forgotten.
    ///
    /// - Returns: Once the id is registered and committed: only then may it be announced.
    /// - Throws: ``BusError`` with code `id_taken` or `busy`, with code `closed` when the worker stops, or what kept ``run()``
    ///   from serving.
    public func announce(_ signal: CompletionSignal, under id: SignalID) async throws {
        let loop = try await lifecycle.bound().loop
        let owner = SignalOwner.process("signal \(loop.waits.mint().number)")
        try await loop.announce(signal, under: id, owner: owner)
    }

    /// Opens a gate outside any run and waits for its decision.
    ///
    /// - Parameters:
    ///   - id: Under which COMPLETE and REJECT reach it.
    ///   - owner: Whose it is: the same owner may open it again and gets the decision that stands.
    ///   - deadline: After how long it expires undecided; nil never does.
    ///   - rule: Who may decide it, beyond the right to complete it; only where senders have keys.
    /// - Returns: The decision; ``GateDecision/closed(why:)`` if the worker stops or the task is cancelled.
    /// - Throws: ``BusError`` with code `id_taken` or `busy`, with code `forbidden` for a rule that needs keys where there
    ///   are none, or what kept ``run()`` from serving.
    public func gate(
        _ id: SignalID,
        owner: String,
        deadline: Duration? = nil,
        rule: GateRule = .anybody
    ) async throws -> GateDecision {
        let loop = try await lifecycle.bound().loop
        return try await loop.decision(on: id, kind: .gate, owner: .process(owner), deadline: deadline, rule: rule)
    }
}

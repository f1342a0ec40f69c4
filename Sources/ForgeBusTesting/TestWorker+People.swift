public import ForgeBusProtocol

/// What somebody decides about a gate.
public enum ScriptedDecision: Hashable, Sendable {
    /// Approves, with a value that the waiter gets.
    case approve(JSONValue? = nil)
    /// Rejects, with a reason.
    case reject(String = "")

    /// How a request says it.
    var outcome: Decision.Outcome {
        switch self {
        case .approve(let value): .approved(value: value?.encoded ?? [])
        case .reject(let reason): .rejected(reason: reason)
        }
    }
}

/// What somebody has decided, and what became of it.
public struct DecisionMade: Sendable {
    /// What it was about.
    public let signal: SignalID
    /// What was decided.
    public let decision: ScriptedDecision
    /// By whom.
    public let principal: String
    /// When: how long after the clock's beginning.
    public let elapsed: Duration
    /// The worker's verdict, or why the worker refused the request.
    public let verdict: Result<Verdict, BusError>
}

extension TestWorker {
    /// Has somebody decide each gate and signal of these ids, so long after it opens; those that wait now, too.
    ///
    /// ```swift
    /// func script(_ worker: TestWorker) async throws {
    ///     await worker.whenOpen("deploy.*.approve", .approve(), by: "ada", after: .seconds(3600))
    /// }
    /// ```
    ///
    /// What became of each decision is in ``decisions``: a person whom the rules forbid to decide is no error. Who never
    /// decides needs no script. People outlive a crash of the worker.
    ///
    /// - Parameters:
    ///   - gates: The ids of the gates and signals.
    ///   - decision: What is decided.
    ///   - principal: Who decides; nil is `local`.
    ///   - delay: How long after it opens, by the worker's clock.
    public func whenOpen(
        _ gates: NamePattern,
        _ decision: ScriptedDecision,
        by principal: String? = nil,
        after delay: Duration = .zero
    ) {
        people.add(
            People.Script(gates: gates, decision: decision, principal: principal, delay: delay),
            at: clock.elapsed
        )
    }
}

public import ForgeBusProtocol

/// A decision about a gate or signal in a test.
public enum ScriptedDecision: Hashable, Sendable {
    /// Approves a gate or completes a signal, with an optional value for the waiting run.
    case approve(JSONValue? = nil)
    /// Rejects a gate, with a reason that may be empty.
    case reject(String = "")

    /// The decision as a request contains it.
    var outcome: Decision.Outcome {
        switch self {
        case .approve(let value): .approved(value: value?.encoded ?? [])
        case .reject(let reason): .rejected(reason: reason)
        }
    }
}

/// A decision that was sent to a ``TestWorker``, with the worker's verdict.
public struct DecisionMade: Sendable {
    /// The signal or gate that was decided.
    public let signal: SignalID
    /// The decision: approved or rejected.
    public let decision: ScriptedDecision
    /// The name of the principal who decided.
    public let principal: String
    /// The time of the decision, measured from the clock's beginning.
    public let elapsed: Duration
    /// The worker's verdict, or the error with which the worker refused the request.
    public let verdict: Result<Verdict, BusError>
}

extension TestWorker {
    /// Decides each gate and signal whose id matches a pattern, a given time after it opens.
    ///
    /// ```swift
    /// func script(_ worker: TestWorker) async throws {
    ///     await worker.whenOpen("deploy.*.approve", .approve(), by: "ada", after: .seconds(3600))
    /// }
    /// ```
    ///
    /// For gates and signals that are already open, the delay begins now. ``decisions`` contains the verdict on each
    /// decision; a decision that the gate's rule forbids is not an error. The script stays valid after a crash or
    /// restart of the worker.
    ///
    /// - Parameters:
    ///   - gates: The pattern of the ids of gates and signals.
    ///   - decision: The decision.
    ///   - principal: The name of the principal who decides; nil means `local`.
    ///   - delay: The time from the opening to the decision, by the worker's clock.
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

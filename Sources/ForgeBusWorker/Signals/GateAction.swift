import ForgeBusProtocol
public import ForgeOrchestrator

/// An action that waits for a decision: approved it completes, otherwise it fails.
///
/// What must not happen without the approval `requires` this action; it is then skipped unless the gate was approved.
public struct GateAction: PipelineAction {
    /// The action's id.
    public let id: ActionID
    /// When it is its turn.
    public let priority: ActionPriority
    /// What must have completed before the gate is opened.
    public let requires: Set<ActionID>
    let signal: SignalTemplate
    let rule: GateRule
    let deadline: Duration?
    /// nil where every run needs the decision.
    private let condition: (@Sendable (PipelineContext) async -> Bool)?

    /// An action that waits under `signal`.
    ///
    /// - Parameters:
    ///   - id: The action's id. The value of an approval is stored in the context under it.
    ///   - signal: The signal's id, in which `{run.id}` and `{seed.NAME}` stand for one token of the run.
    ///   - priority: When it is its turn.
    ///   - requires: What must have completed before it is opened.
    ///   - deadline: After how long it expires undecided, which fails it; nil never does.
    ///   - rule: Who may decide it, beyond the right to complete its signal.
    ///   - isNeeded: Whether this run needs the decision; where it does not, the action completes at once. Without it,
    ///     and without requirements, every run does, and one whose signal belongs to somebody else already is refused before
    ///     anything of it runs.
    public init(
        _ id: ActionID,
        signal: SignalTemplate,
        priority: ActionPriority = .medium,
        requires: Set<ActionID> = [],
        deadline: Duration? = nil,
        rule: GateRule = .anybody,
        isNeeded: (@Sendable (PipelineContext) async -> Bool)? = nil
    ) {
        self.id = id
        self.signal = signal
        self.priority = priority
        self.requires = requires
        self.deadline = deadline
        self.rule = rule
        self.condition = isNeeded
    }

    /// Always: a gate that is not needed completes, so that what requires it may run.
    public func shouldRun() async -> Bool { true }

    /// Waits, and completes only if the gate was approved or is not needed.
    ///
    /// A worker that runs the action itself lets the run rest meanwhile; one that is executed by another action waits here.
    public func execute(context: PipelineContext) async -> ActionResult {
        guard await isNeeded(in: context) else { return .completed }
        do throws(BusError) {
            let signal = try signal.signal(for: context)
            return result(of: try await context.gate(signal, deadline: deadline, rule: rule), in: context)
        } catch {
            return .failed(error.description)
        }
    }

    /// Whether this run needs the decision.
    func isNeeded(in context: PipelineContext) async -> Bool { await condition?(context) ?? true }

    /// Whether every run waits for the decision: one that requires something, or asks first, may not come to that.
    var isCertain: Bool { condition == nil && requires.isEmpty }

    /// What the decision comes to; the value of an approval is stored in the context.
    func result(of decision: GateDecision, in context: PipelineContext) -> ActionResult {
        if case .approved(let value) = decision { context.set(id.rawValue, value.swiftValue ?? value) }
        return ActionResult(ActionOutcome.Result(decision))
    }
}

extension ActionOutcome.Result {
    /// What a gate that ended so comes to: only an approval completes it.
    init(_ decision: GateDecision) {
        switch decision {
        case .approved: self = .completed
        case .rejected(let reason): self = .failed(reason.isEmpty ? "rejected" : "rejected: \(reason)")
        case .expired: self = .failed("expired: nobody decided it in time")
        case .closed(let why): self = .failed("closed: \(why)")
        }
    }
}

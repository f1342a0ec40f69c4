public import ForgeBusProtocol
public import ForgeOrchestrator

/// An action that waits for a decision: it completes if the decision is an approval, and fails otherwise.
///
/// Every action that needs the approval should name the gate in its `requires`. Then the worker skips that action if
/// the gate fails.
public struct GateAction: PipelineAction {
    /// The action's id.
    public let id: ActionID
    /// The action's place in the order of actions.
    public let priority: ActionPriority
    /// The actions that must complete before the gate begins to wait.
    public let requires: Set<ActionID>
    let signal: SignalTemplate
    let rule: GateRule
    let deadline: Duration?
    let message: MessageTemplate?
    /// Tells whether a run needs the decision; nil if every run does.
    private let condition: (@Sendable (PipelineContext) async -> Bool)?

    /// Creates an action that waits for a decision on `signal`.
    ///
    /// - Parameters:
    ///   - id: The action's id. In the run's context, this id is also the key of the approval's value.
    ///   - signal: The signal's id, in which `{run.id}` stands for the run's id and `{seed.NAME}` for the value of a
    ///     seed.
    ///   - priority: The action's place in the order of actions.
    ///   - requires: The actions that must complete before the gate begins to wait.
    ///   - deadline: How long the gate waits before it expires and the action fails; with nil, the gate never expires.
    ///   - rule: Which of the principals with the right to complete the signal may decide, how many must, which value
    ///     an approval needs, and the times of reminders and of the escalation.
    ///   - message: The text that the gate shows to those who decide; nil for no text.
    ///   - isNeeded: Whether this run needs the decision; if not, the action completes immediately. With nil, every run
    ///     that reaches the gate needs the decision. If `requires` is empty, too, every run reaches the gate. The
    ///     worker then refuses a new run if the gate's signal belongs to another owner.
    public init(
        _ id: ActionID,
        signal: SignalTemplate,
        priority: ActionPriority = .medium,
        requires: Set<ActionID> = [],
        deadline: Duration? = nil,
        rule: GateRule = .anybody,
        message: MessageTemplate? = nil,
        isNeeded: (@Sendable (PipelineContext) async -> Bool)? = nil
    ) {
        self.id = id
        self.signal = signal
        self.priority = priority
        self.requires = requires
        self.deadline = deadline
        self.rule = rule
        self.message = message
        self.condition = isNeeded
    }

    /// Always true: a gate that is not needed completes, so that the actions that require the gate can execute.
    public func shouldRun() async -> Bool { true }

    /// Waits for the decision; completes only if the gate was approved or is not needed.
    ///
    /// For a gate of the run's pipeline, the worker suspends the run and does not call this method. If the code of
    /// another action calls this method, that code waits here.
    public func execute(context: PipelineContext) async -> ActionResult {
        guard await isNeeded(in: context) else { return .completed }
        do throws(BusError) {
            let signal = try signal.signal(for: context)
            return result(of: try await context.gate(SignalID(signal), deadline: deadline, rule: rule), in: context)
        } catch {
            return .failed(error.description)
        }
    }

    /// Whether this run needs the decision.
    func isNeeded(in context: PipelineContext) async -> Bool { await condition?(context) ?? true }

    /// Whether every run waits for the decision; with requirements or a condition, some runs may not wait.
    var isCertain: Bool { condition == nil && requires.isEmpty }

    /// The result for a decision; stores the value of an approval in the context.
    func result(of decision: GateDecision, in context: PipelineContext) -> ActionResult {
        if case .approved(let value) = decision { context.set(id.rawValue, value.swiftValue ?? value) }
        return ActionResult(ActionOutcome.Result(decision))
    }
}

extension ActionOutcome.Result {
    /// The result of a gate with this decision: only an approval completes it.
    init(_ decision: GateDecision) {
        switch decision {
        case .approved: self = .completed
        case .rejected(let reason): self = .failed(reason.isEmpty ? "rejected" : "rejected: \(reason)")
        case .expired: self = .failed("expired: the gate was not decided before its deadline")
        case .closed(let why): self = .failed("closed: \(why)")
        }
    }
}

public import ForgeBusProtocol
public import ForgeOrchestrator

/// A pipeline that a worker serves under a name.
///
/// Nothing of it changes; a class, so that whoever starts a run passes on one reference.
public final class HostedPipeline: Sendable {
    /// The name requests use.
    public let name: PipelineName
    /// What runs.
    public let orchestrator: PipelineOrchestrator
    /// What a request may and must give; a request with any other key is refused.
    public let seeds: [Seed]
    /// The context's keys whose values the result carries.
    public let outputs: [String]
    /// How many runs may execute at once.
    public let slots: Int
    /// Which pipeline's runs go first when all slots of the worker are taken: the higher.
    public let priority: Int
    /// What becomes of actions that failed; one that is not named is tried once, and the run goes on.
    public let policies: [ActionID: ActionPolicy]
    /// When an action may begin whose predecessor has completed.
    public let checkpoint: Checkpoint
    /// What of the pipeline's definition does not show in its actions: another one parks the runs of an earlier worker.
    public let revision: String

    /// When the next action of a run may begin.
    public enum Checkpoint: String, CaseIterable, Hashable, Sendable {
        /// At once: that the one before completed is committed beside it, and a crash may repeat all that completed since the
        /// last commit.
        case relaxed
        /// When it is committed that the one before completed: a crash repeats one action at most.
        case strict
    }

    /// Serves `orchestrator` as `name`.
    ///
    /// - Parameters:
    ///   - name: The name requests use.
    ///   - orchestrator: Its registered actions run, each time as they are registered then.
    ///   - seeds: What a request may and must give.
    ///   - outputs: The context's keys whose values the result carries, at most 900 KiB of JSON: a run with more fails. A
    ///     key that a run does not set is left out.
    ///   - slots: How many runs may execute at once, 1 or more; a run that waits for a signal holds none.
    ///   - priority: Whose runs go first when all slots of the worker are taken: the higher.
    ///   - policies: What becomes of actions that failed: how often they are tried, and whether the run stops there.
    ///   - checkpoint: Whether an action waits until it is committed that the one before completed.
    ///   - revision: What of the definition does not show in ids, priorities, requirements and types of its actions; a run
    ///     that another worker began under another definition is parked.
    public init(
        _ name: PipelineName,
        _ orchestrator: PipelineOrchestrator,
        seeds: [Seed] = [],
        outputs: [String] = [],
        slots: Int = 32,
        priority: Int = 0,
        policies: [ActionID: ActionPolicy] = [:],
        checkpoint: Checkpoint = .relaxed,
        revision: String = ""
    ) {
        self.name = name
        self.orchestrator = orchestrator
        self.seeds = seeds
        self.outputs = outputs
        self.slots = max(1, slots)
        self.priority = priority
        self.policies = policies
        self.checkpoint = checkpoint
        self.revision = revision
    }

    /// What keeps the pipeline from ever running as its author meant; nil if nothing does.
    ///
    /// An action that requires one that is not registered, or that sorts behind it, could never execute.
    package var flaw: String? {
        let actions = orchestrator.registered
        let order = actions.enumerated().sorted { a, b in
            (a.element.priority, a.offset) < (b.element.priority, b.offset)
        }
        var earlier: Set<ActionID> = []
        for action in order.map(\.element) {
            if let required = action.requires.sorted().first(where: { !earlier.contains($0) }) {
                let isRegistered = actions.contains { $0.id == required }
                let cause = isRegistered ? "runs later" : "is not registered"
                return "the action \(action.id) requires \(required), which \(cause)"
            }
            earlier.insert(action.id)
        }
        if let unknown = policies.keys.sorted().first(where: { !earlier.contains($0) }) {
            return "a policy is given for the action \(unknown), which is not registered"
        }
        let keys = seeds.map(\.key)
        if let twice = keys.first(where: { key in keys.count { $0 == key } > 1 }) {
            return "the seed \(twice) is declared twice"
        }
        if let seed = seeds.first(where: { !$0.hasFittingDefault }) {
            return "the default of the seed \(seed.key) is not of type \(seed.type.rawValue)"
        }
        for gate in gates {
            guard let unknown = gate.signal.seeds.first(where: { !keys.contains($0) }) else { continue }
            return "the gate \(gate.id) needs the seed \(unknown), which is not declared"
        }
        return nil
    }

    /// The signals for which a run is certain to wait, but for those of gates that have ended.
    ///
    /// - Throws: ``BusError`` with code `bad_seed` where a gate, certain or not, cannot make its signal's id of the seeds, or
    ///   two would wait for the same one.
    func gateSignals(
        of run: RunID,
        with values: [String: any Sendable],
        after actions: [ActionOutcome]
    ) throws(BusError) -> [SignalID] {
        var signals: [SignalID] = []
        for gate in gates where !actions.contains(where: { $0.action == gate.id.rawValue }) {
            let signal = try gate.signal.signal(of: run.text, with: values)
            guard gate.isCertain else { continue }
            guard !signals.contains(signal) else { throw Self.twice(signal) }
            signals.append(signal)
        }
        return signals
    }

    private static func twice(_ signal: SignalID) -> BusError {
        BusError(
            .badSeed,
            "With these seeds two gates of the run would wait for the signal \(signal).",
            next: "Send seeds that tell the gates apart."
        )
    }

    /// Whether a gate of it tells principals apart.
    var needsIdentities: Bool { gates.contains { $0.rule.needsIdentities } }

    /// The principals that its gates name as those who may decide.
    package var deciders: Set<String> { gates.reduce(into: []) { $0.formUnion($1.rule.allowed ?? []) } }

    /// The signals that its gates may ever wait for.
    package var signals: [NamePattern] { gates.map(\.signal.pattern) }

    /// The gate of that name; nil if no action has it, or one that is no gate.
    func gate(_ action: String) -> GateAction? { gates.first { $0.id.rawValue == action } }

    private var gates: [GateAction] { orchestrator.registered(GateAction.self) }
}

public import ForgeBusProtocol
public import ForgeOrchestrator

/// A pipeline that a worker serves under a name.
///
/// The type is immutable, and a class, so that starting a run copies only one reference.
public final class HostedPipeline: Sendable {
    /// The pipeline's name in requests.
    public let name: Name
    /// What a run is about, as people see it wherever the run is shown; nil if its id is enough.
    ///
    /// `{seed.NAME}` stands for a seed, and `{run.id}` for the run's id.
    public let title: MessageTemplate?
    /// The pipeline to run.
    public let orchestrator: PipelineOrchestrator
    /// The seeds that a request may give; a request with any other key is refused.
    public let seeds: [Seed]
    /// The context keys whose values are in a run's result.
    public let outputs: [String]
    /// How many runs of the pipeline may execute at the same time.
    public let slots: Int
    /// The rule that of the runs with one key, only one at a time has begun; nil if all runs execute beside each other.
    public let onePer: OnePer?
    /// The priority when all slots of the worker are taken: waiting runs of the pipeline with the highest priority go
    /// first.
    public let priority: Int
    /// The policies for failed actions; without one, an action is tried once, and the run continues.
    public let policies: [ActionID: ActionPolicy]
    /// Whether the next action of a run waits until the previous action's completion is committed.
    public let checkpoint: Checkpoint
    /// The pipelines that the worker runs when events of this pipeline's runs happen, by event.
    ///
    /// For an event in this dictionary, ``WorkerConfiguration/events`` does not apply to the runs of this pipeline.
    public let events: [WorkerEvent: Name]
    /// A version text for what the worker cannot see, such as the code of the actions.
    ///
    /// Change the text when the code changes. When a worker starts with a new text, it parks each restored run that
    /// still needs an action without a text of its own in ``revisions``. A run needs its unfinished actions, and the
    /// actions that those require.
    public let revision: String
    /// The revisions of single actions, each in place of ``revision``.
    public let revisions: [ActionID: Revision]

    /// Version texts for the parts of an action that its id, type and requirements don't show, such as its code.
    ///
    /// When a worker starts with a new text, it parks each restored run that has not finished the action.
    public struct Revision: Hashable, Sendable, ExpressibleByStringLiteral {
        /// A text for what the action does; change the text when the action does something else.
        ///
        /// A new text also parks a restored run with an unfinished action that requires this action.
        public var work: String
        /// A text for how the action executes; change the text when, for example, the time limit of the action changes.
        ///
        /// A new text does not matter for a run that has finished the action.
        public var handling: String

        /// Creates a revision from two texts.
        public init(work: String, handling: String = "") {
            self.work = work
            self.handling = handling
        }

        /// Creates a revision of what the action does.
        public init(stringLiteral work: String) { self.init(work: work) }
    }

    /// When the next action of a run may begin.
    public enum Checkpoint: String, CaseIterable, Hashable, Sendable {
        /// The next action begins immediately, without a commit; a crash may repeat all actions completed since the
        /// last commit.
        case relaxed
        /// The next action begins after the previous action's completion is committed; a crash repeats at most one
        /// action.
        case strict
    }

    /// Serves `orchestrator` as `name`.
    ///
    /// - Parameters:
    ///   - name: The pipeline's name in requests.
    ///   - orchestrator: The pipeline; each run executes the actions that are registered when it starts.
    ///   - title: What a run is about, such as `Deploy {seed.version}`; it names declared seeds that are not secret.
    ///   - seeds: The seeds that a request may give.
    ///   - outputs: The context keys whose values are in a run's result, at most 900 KiB of JSON; a run with more
    ///     fails. The result omits keys that the run does not set.
    ///   - slots: How many runs may execute at the same time, 1 or more; a run that waits for a signal holds no slot.
    ///   - onePer: The key with which only one run at a time has begun, such as the environment of a deployment.
    ///   - priority: When all slots of the worker are taken, waiting runs of the pipeline with the highest priority go
    ///     first.
    ///   - policies: How often failed actions are tried, and whether the run is parked after the last attempt.
    ///   - checkpoint: Whether the next action waits until the previous action's completion is committed.
    ///   - events: For each event of this pipeline's runs, the pipeline that the worker runs when the event happens, in
    ///     place of the pipeline in ``WorkerConfiguration/events``.
    ///   - revision: A version text for what the worker cannot see, such as the code of the actions. The worker sees
    ///     the seeds, and the ids, priorities, requirements and types of the actions. Change the text when anything
    ///     else changes. A worker parks a restored run if the definition of something that the run still needs has
    ///     changed: an unfinished action, an action that it requires, the seeds or the outputs.
    ///   - revisions: Version texts for single actions, each in place of `revision`. If each action has its own text, a
    ///     change of one action parks no run that has finished this action and the actions that require it.
    public init(
        _ name: Name,
        _ orchestrator: PipelineOrchestrator,
        title: MessageTemplate? = nil,
        seeds: [Seed] = [],
        outputs: [String] = [],
        slots: Int = 32,
        onePer: OnePer? = nil,
        priority: Int = 0,
        policies: [ActionID: ActionPolicy] = [:],
        checkpoint: Checkpoint = .relaxed,
        events: [WorkerEvent: Name] = [:],
        revision: String = "",
        revisions: [ActionID: Revision] = [:]
    ) {
        self.name = name
        self.orchestrator = orchestrator
        self.title = title
        self.seeds = seeds
        self.outputs = outputs
        self.slots = max(1, slots)
        self.onePer = onePer
        self.priority = priority
        self.policies = policies
        self.checkpoint = checkpoint
        self.events = events
        self.revision = revision
        self.revisions = revisions
    }

    /// Why the pipeline can never run as its author meant, or nil.
    ///
    /// For instance, an action can never execute if it requires an action that is not registered or executes later.
    package var flaw: String? {
        let actions = orchestrator.registered
        var earlier: Set<ActionID> = []
        for action in actionsInOrder {
            if let required = action.requires.sorted().first(where: { !earlier.contains($0) }) {
                if required == action.id { return "the action \"\(required)\" requires itself" }
                let isRegistered = actions.contains { $0.id == required }
                return Errors.cannotRequire("\(action.id)", "\(required)", isRegistered: isRegistered)
            }
            earlier.insert(action.id)
        }
        if let unknown = policies.keys.sorted().first(where: { !earlier.contains($0) }) {
            return Errors.policyOfNone("\(unknown)", among: earlier.map(\.rawValue).sorted())
        }
        let keys = seeds.map(\.key)
        if let twice = keys.first(where: { key in keys.count { $0 == key } > 1 }) {
            return "the seed `\(twice)` is declared twice"
        }
        if let title, let flaw = flaw(of: title, in: "title") { return flaw }
        if let template = onePer?.template {
            if template.namesRun { return Errors.runInKey }
            if let flaw = flaw(of: template, in: "one_per") { return flaw }
        }
        if let seed = seeds.first(where: { $0.isSecret && $0.type != .string }) {
            return Errors.secretOfWrongType(seed.key, type: seed.type.rawValue)
        }
        if let seed = seeds.first(where: { !$0.hasFittingDefault }) {
            return seed.isSecret
                ? Errors.badSecretDefault(seed.key, least: Seed.secretLength)
                : "the default of the seed `\(seed.key)` is not of type \(seed.type.rawValue)"
        }
        for gate in gates {
            if let flaw = gate.rule.flaw ?? flaw(ofDistinct: gate) {
                return "the gate \"\(gate.id)\" is impossible: \(flaw)"
            }
            let shown = gate.signal.seeds + (gate.message?.seeds ?? [])
            if let secret = seeds.first(where: { $0.isSecret && shown.contains($0.key) }) {
                return Errors.secretInGate("\(gate.id)", secret.key)
            }
            guard let unknown = shown.first(where: { !keys.contains($0) }) else { continue }
            return "the gate \"\(gate.id)\" needs the seed `\(unknown)`, which is not declared"
        }
        return nil
    }

    /// Why a template cannot be filled when a run is accepted, or would show a secret; nil if it can.
    private func flaw(of template: MessageTemplate, in key: String) -> String? {
        if let name = template.values.first { return Errors.templateNames("value.\(name)", in: key, known: false) }
        for name in template.seeds {
            guard let seed = seeds.first(where: { $0.key == name }) else {
                return Errors.templateNames("seed.\(name)", in: key, known: false)
            }
            if seed.isSecret { return Errors.templateNames("seed.\(name)", in: key, known: true) }
        }
        return nil
    }

    /// Why the gate cannot be distinct from the gates that its rule names, or nil.
    ///
    /// The gate must require each named gate, directly or indirectly; otherwise the named gate could be decided later
    /// than this gate.
    private func flaw(ofDistinct gate: GateAction) -> String? {
        guard !gate.rule.distinctFrom.isEmpty else { return nil }
        let required = requirements.closure(of: [gate.id.rawValue])
        for other in gate.rule.distinctFrom.sorted() {
            if other == gate.id.rawValue { return "its `distinctFrom` lists the gate itself" }
            if self.gate(other) == nil {
                return "its `distinctFrom` lists `\(other)`, which is not a gate of this pipeline"
            }
            if !required.contains(other) {
                return Errors.notDecidedEarlier(other)
            }
        }
        return nil
    }

    /// The actions in the order in which a run executes them.
    var actionsInOrder: [any PipelineAction] {
        orchestrator.registered.enumerated()
            .sorted { a, b in (a.element.priority, a.offset) < (b.element.priority, b.offset) }
            .map(\.element)
    }

    /// The ids of the actions that each action requires.
    var requirements: [String: Set<String>] {
        Dictionary(orchestrator.registered.map { ($0.id.rawValue, Set($0.requires.map(\.rawValue))) }) { first, _ in
            first
        }
    }

    /// The signals of the gates that a run is certain to reach, except those of gates that have ended.
    ///
    /// A run is certain to reach a gate that has no condition and requires no action.
    ///
    /// - Throws: `BusError` with code `bad_seed` if a gate, certain or not, cannot make its signal's id from the
    ///   seeds, or if two certain gates would wait for the same signal.
    func gateSignals(
        of run: Name,
        with values: [String: any Sendable],
        after actions: [ActionOutcome]
    ) throws(BusError) -> [Name] {
        var signals: [Name] = []
        for gate in gates where !actions.contains(where: { $0.action == gate.id.rawValue }) {
            let signal = try gate.signal.signal(of: run.text, with: values)
            guard gate.isCertain else { continue }
            guard !signals.contains(signal) else { throw Errors.sameSignal(signal) }
            signals.append(signal)
        }
        return signals
    }

    /// Whether a seed of the pipeline is secret.
    var hasSecrets: Bool { seeds.contains(where: \.isSecret) }

    /// A gate of the pipeline whose rule needs keys; nil if no rule needs them.
    var gateThatNeedsIdentities: ActionID? { gates.first { $0.rule.needsIdentities }?.id }

    /// The principals that the rules of the pipeline's gates name.
    package var deciders: Set<String> { gates.reduce(into: []) { $0.formUnion($1.rule.namedPrincipals) } }

    /// The groups that the rules of the pipeline's gates name.
    package var decidingGroups: Set<String> { gates.reduce(into: []) { $0.formUnion($1.rule.namedGroups) } }

    /// A sentence for each gate that needs too many approvals, and one for each gate that needs too many rejections.
    ///
    /// Too many means: more than the number of principals that may decide the gate under `policy`. The principals of the
    /// gate's escalation count. The requester and the deciders of other gates count, too, because they are not known
    /// before a run.
    package func unreachableVotes(under policy: AccessPolicy) -> [String] {
        gates.flatMap { gate in
            let count = gate.electorate(under: policy).count
            return [(gate.rule.approvals, "approval"), (gate.rule.rejections, "rejection")].filter { $0.0 > count }
                .map { Errors.unreachable("\(gate.id)", of: name, needs: $0, $1, able: count) }
        }
    }

    /// The patterns of the signals that the pipeline's gates may wait for.
    package var signals: [NamePattern] { gates.map(\.signal.pattern) }

    /// The gate with this action id; nil if the pipeline has no such gate.
    func gate(_ action: String) -> GateAction? { gates.first { $0.id.rawValue == action } }

    private var gates: [GateAction] { orchestrator.registered(GateAction.self) }
}

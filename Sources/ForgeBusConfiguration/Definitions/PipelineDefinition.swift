import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator

/// Makes the pipelines of a file.
struct PipelineDefinition {
    let workshop: Workshop

    /// Reads the pipelines, and records every problem.
    func pipelines(_ entry: Entry) -> [HostedPipeline] {
        let next = "Write each pipeline as `NAME:`, with its keys below it and without a dash."
        return (entry.members("a mapping of names to pipelines", next: next) ?? []).compactMap(pipeline)
    }

    private func pipeline(_ member: Member) -> HostedPipeline? {
        let name = member.checkedName
        guard let fields = Fields(member.entry, .pipeline) else { return nil }
        let title = fields["title"].flatMap(Self.title)
        let slots = fields.integer("slots")
        let onePer = fields["one_per"].flatMap(Self.onePer)
        let priority = fields.integer("priority")
        let checkpoint: HostedPipeline.Checkpoint? =
            fields.choice("checkpoint", ["relaxed": .relaxed, "strict": .strict])
        let seeds = fields["seeds"].map(SeedDefinition.seeds) ?? []
        let outputs = fields["outputs"]?.distinctTexts("a list of keys of the context")
        let actions = fields.required("actions").map { ActionDefinition.actions($0, .pipeline) }
        guard let name, let actions else { return nil }
        // The id of an action with an error of its own is not known here.
        let isWhole = fields["actions"]?.node.sequence?.count == actions.count
        let requires = Requirements.resolve(actions, isWhole: isWhole)
        let hasAllSeeds = fields["seeds"].map { $0.node.mapping?.count == seeds.count } ?? true
        GateRules.check(
            actions,
            requiring: requires,
            isWhole: isWhole,
            of: name,
            seeds: seeds,
            hasAllSeeds: hasAllSeeds
        )
        if let key = onePer?.key, let name = GateRules.seedWithoutBraces(in: key.template, seeds) {
            key.entry.note(Errors.constantKey(key.template.text, seed: name))
        }
        for (template, entry) in [title, onePer?.key].compactMap(\.self) where hasAllSeeds {
            GateRules.check(template, at: entry, seeds)
        }
        PostDefinition.check(actions, seeds: seeds, hasAllSeeds: hasAllSeeds)
        let orchestrator = PipelineOrchestrator(logger: workshop.logger)
        for (action, requires) in zip(actions, requires) {
            if let action = self.action(for: action, requires: requires, of: name) { orchestrator.register(action) }
        }
        return HostedPipeline(
            name,
            orchestrator,
            title: title?.template,
            seeds: seeds,
            outputs: outputs ?? [],
            slots: slots ?? 32,
            onePer: onePer?.rule,
            priority: priority ?? 0,
            policies: Self.policies(of: actions),
            checkpoint: checkpoint ?? .relaxed,
            events: EventDefinition.events(fields["on"], of: name, workshop.requests),
            revision: fields["actions"]?.revision ?? "",
            revisions: Dictionary(actions.map { ($0.id, $0.revision) }) { first, _ in first }
        )
    }

    /// A template that is filled when a run is accepted, and its place in the file.
    private typealias EarlyTemplate = (template: MessageTemplate, entry: Entry)

    private static func onePer(_ entry: Entry) -> (rule: OnePer, key: EarlyTemplate)? {
        guard entry.node.mapping != nil, entry.bracedPlace == nil else {
            return keyTemplate(entry, "a template of a key, or a mapping").map { (OnePer($0.template), $0) }
        }
        guard let fields = Fields(entry, .onePer) else { return nil }
        let group = fields["group"]?.name("the name of a group")
        let newcomer: OnePer.Newcomer? =
            fields.choice("then", ["queue": .queue, "supersede": .supersede, "refuse": .refuse])
        let key = fields.required("key").flatMap { keyTemplate($0, "a template of a key") }
        return key.map { (OnePer($0.template, group: group, then: newcomer ?? .queue), $0) }
    }

    private static func keyTemplate(_ entry: Entry, _ expected: String) -> EarlyTemplate? {
        let key = template(entry, expected)
        if key?.template.namesRun == true { entry.note(Errors.runInKey) }
        return key
    }

    private static func title(_ entry: Entry) -> EarlyTemplate? {
        template(entry, "a text that says what a run is about")
    }

    private static func template(_ entry: Entry, _ expected: String) -> EarlyTemplate? {
        guard let text = entry.text(expected) else { return nil }
        do throws(BusError) { return (try MessageTemplate(text), entry) } catch {
            entry.note(Errors.badValue(error))
            return nil
        }
    }

    private static func policies(of actions: [ActionDefinition]) -> [ActionID: ActionPolicy] {
        // If two actions have the same id, that problem is already recorded.
        Dictionary(actions.compactMap { action in action.policy.map { (action.id, $0) } }) { first, _ in first }
    }

    private func action(
        for action: ActionDefinition,
        requires: Set<ActionID>,
        of pipeline: Name
    ) -> (any PipelineAction)? {
        let owner = (name: "FORGE_PIPELINE", value: pipeline.text)
        let condition = workshop.condition(of: action, owner)
        switch action.work {
        case .run(let line):
            return CommandPipelineAction(
                id: action.id,
                priority: action.priority,
                requires: requires,
                command: workshop.command(line, of: action, owner),
                condition: condition
            )
        case .gate(let gate):
            workshop.gates.add(GateRules.NamedGate(gate: gate, action: action.id.rawValue, pipeline: pipeline))
            return GateAction(
                action.id,
                signal: gate.signal(of: action.id.rawValue, in: pipeline),
                priority: action.priority,
                requires: requires,
                deadline: gate.deadline,
                rule: gate.rule,
                message: gate.message?.template,
                isNeeded: condition.map { $0.opensGate(in:) }
            )
        case .post(let definition):
            return workshop.post(definition, of: action).map { post in
                PostPipelineAction(
                    id: action.id,
                    priority: action.priority,
                    requires: requires,
                    post: post,
                    condition: condition
                )
            }
        case .request(let request):
            workshop.requests.add(request) { .action(action.id, of: pipeline, seed: $0) }
            return RequestAction(
                action.id,
                pipeline: request.pipeline,
                seeds: request.pipelineSeeds,
                waits: request.waits,
                priority: action.priority,
                requires: requires,
                isNeeded: condition.map { $0.needsAction(in:) }
            )
        }
    }
}

extension CommandCondition {
    /// Whether a run needs an action: only if the condition's command clearly answers yes.
    @Sendable func needsAction(in context: PipelineContext) async -> Bool {
        await holds(input: context.document, variables: context.runVariables, masking: { context.masked($0) })
    }

    /// Whether a gate waits for its decision.
    ///
    /// If the condition's command gives no clear answer, the gate waits, so that no run passes it without a decision.
    @Sendable fileprivate func opensGate(in context: PipelineContext) async -> Bool {
        await isNotDenied(
            input: context.document,
            variables: context.runVariables,
            masking: { context.masked($0) }
        )
    }
}

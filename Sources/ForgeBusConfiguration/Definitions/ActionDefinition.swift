import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator

/// An action as the file defines it, checked without regard to the other actions.
struct ActionDefinition {
    /// The work of an action: running a program, waiting at a gate, sending an HTTP POST, or requesting a run.
    enum Work {
        case run(CommandDefinition)
        case gate(GateDefinition)
        case post(PostDefinition)
        case request(RequestDefinition)
    }

    /// The kinds of work; the raw value is the key that an action of this kind has.
    fileprivate enum Kind: String, CaseIterable {
        case gate, post, request, run

        /// The owner of the keys, for messages.
        func owner(_ role: Role) -> String {
            switch self {
            case .gate: "a gate"
            case .post: "an action that sends a POST"
            case .request: "an action that requests a run"
            case .run: role == .startup ? role.owner : "\(role.owner) with `run`"
            }
        }
    }

    /// The kind of an action's owner; the keys that the action may have depend on it.
    enum Role {
        case monitor
        case pipeline
        case startup

        var owner: String {
            switch self {
            case .monitor: "a monitor's action"
            case .pipeline: "a pipeline's action"
            case .startup: "a startup action"
            }
        }
    }

    let id: ActionID
    let priority: ActionPriority
    let work: Work
    /// The condition's program and arguments; nil without a condition.
    let when: CommandDefinition?
    let timeLimit: Duration
    /// The variables that the file adds to the environment of the action's commands.
    let environment: [String: String]
    /// The entries with the ids of the required actions; nil if the action has no key `requires`.
    let requires: [Entry]?
    /// The policy for failures of the action; nil if the file does not define one.
    let policy: ActionPolicy?
    /// The action's part of the file as texts, by which a later worker recognises a change of the action.
    let revision: HostedPipeline.Revision
    /// The place of the action's id in the file, for error messages.
    let idEntry: Entry

    /// Whether the action is a gate.
    var isGate: Bool { if case .gate = work { true } else { false } }
}

extension ActionDefinition {
    /// Reads the valid actions of a list, in the order of the file, and records every problem.
    static func actions(_ entry: Entry, _ role: Role) -> [ActionDefinition] {
        let actions = (entry.someElements("a list of actions") ?? []).compactMap { ActionDefinition($0, role) }
        for (index, action) in actions.enumerated() where actions[..<index].contains(where: { $0.id == action.id }) {
            action.idEntry.note(Errors.actionTwice(action.id))
        }
        return actions
    }

    private init?(_ entry: Entry, _ role: Role) {
        guard let (fields, kind) = Self.fields(entry, role) else { return nil }
        let idEntry = fields.required("id")
        let id = idEntry.flatMap(Self.id)
        let work: Work? =
            switch kind {
            case .gate: GateDefinition(fields).map { .gate($0) }
            case .post: PostDefinition(fields, role).map { .post($0) }
            case .request: RequestDefinition(fields, role).map { .request($0) }
            case .run: Self.run(fields, role)
            }
        let when = fields["when"].flatMap { CommandDefinition($0) }
        let timeLimit = fields.time("timeout")
        let priority = fields.choice("priority", Self.priorities)
        let environment = fields["env"].flatMap(EnvironmentList.variables)
        let requires = fields["requires"]?.elements("a list of ids of actions")
        let policy = PolicyDefinition.policy(fields)
        guard let idEntry, let id, let work else { return nil }
        self.init(
            id: id,
            priority: priority ?? .medium,
            work: work,
            when: when,
            timeLimit: timeLimit ?? .seconds(60),
            environment: environment ?? [:],
            requires: requires,
            policy: policy,
            revision: Self.revision(fields, work),
            idEntry: idEntry
        )
    }

    /// The action's part of the file, in two texts: the work, and the handling of time limits and failures.
    ///
    /// The texts leave out the keys in `shownElsewhere`. When the file format gets a new key, the key belongs to the
    /// work unless it is added to the list `handling` or to the list `shownElsewhere`. Of a gate, only its signal is
    /// work: a change of its other keys parks no run.
    private static func revision(_ fields: Fields, _ work: Work) -> HostedPipeline.Revision {
        let handling = ["timeout"] + Shape.policyKeys.map(\.name)
        let shownElsewhere = ["id", "priority", "requires", "gate"]
        var text = fields.revision { !handling.contains($0) && !shownElsewhere.contains($0) }
        if case .gate(let gate) = work { text += "\"gate\": \(gate.signal?.text ?? "")\n" }
        return HostedPipeline.Revision(work: text, handling: fields.revision { handling.contains($0) })
    }

    /// The action's keys, and its kind: the first of `gate`, `post`, `request` and `run` that it has; nil after a problem.
    private static func fields(_ entry: Entry, _ role: Role) -> (Fields, Kind)? {
        let kinds = Kind.allCases.filter { entry.has($0.rawValue) }
        let kind = kinds.first ?? .run
        // A second kind is accepted here only to report it with a specific message.
        let others = kinds.dropFirst().map(\.rawValue)
        // An action without a kind can get any kind of its role.
        let missing: [String] =
            switch role {
            case .monitor where kinds.isEmpty: ["post", "request"]
            case .pipeline where kinds.isEmpty: ["gate", "post", "request"]
            case .monitor, .pipeline, .startup: []
            }
        // A key of the gate beside the key `gate` is reported below.
        let misplaced = kind == .gate ? Shape.gate.names.filter(entry.has) : []
        let shape = kind.shape(role, hasCondition: entry.has("when"), isKnown: !kinds.isEmpty)
        guard let fields = Fields(entry, shape, and: others + missing + misplaced) else { return nil }
        for key in misplaced { fields.note(Errors.keyOfGate(key), at: key) }
        if kind == .gate, role != .pipeline {
            fields.note(Errors.gateOutsidePipeline(inStartup: role == .startup), at: "gate")
            return nil
        }
        if kind == .request, role == .startup {
            fields.note(Errors.requestDuringStartup, at: "request")
            return nil
        }
        if kind == .post, role == .startup {
            fields.note(Errors.postDuringStartup, at: "post")
            return nil
        }
        for other in others {
            fields.note(Errors.twoKinds(other, kind.rawValue, inPipeline: role == .pipeline), at: other)
        }
        return (fields, kind)
    }

    private static func run(_ fields: Fields, _ role: Role) -> Work? {
        let others: String
        switch role {
        case .monitor: others = "`post` and `request`"
        case .pipeline: others = "`gate`, `post` and `request`"
        case .startup:
            guard let run = fields["run"] else {
                fields.entry.note(
                    Errors.missingKey("run", "a startup action has `run` with a list of a program and its arguments")
                )
                return nil
            }
            return CommandDefinition(run).map { .run($0) }
        }
        guard let run = fields["run"] else {
            fields.entry.note(Errors.noWork(or: others))
            return nil
        }
        return CommandDefinition(run).map { .run($0) }
    }

    private static func id(_ entry: Entry) -> ActionID? {
        guard let text = entry.text("an id") else { return nil }
        if !text.contains("."), Names.flaw(in: text) == nil { return ActionID(text) }
        entry.note(Errors.notActionID(text))
        return nil
    }

    private static let priorities: KeyValuePairs<String, ActionPriority> = [
        "critical": .critical, "high": .high, "medium": .medium, "low": .low,
    ]
}

extension ActionDefinition.Kind {
    /// The keys of an action of this kind.
    ///
    /// - Parameters:
    ///   - role: The action's owner.
    ///   - hasCondition: Whether the action has a condition, whose command has a time limit and variables.
    ///   - isKnown: Whether the action has a key of this kind; otherwise it lacks one.
    /// - Returns: The declaration of its keys.
    fileprivate func shape(_ role: ActionDefinition.Role, hasCondition: Bool, isKnown: Bool) -> Shape {
        let ofPipeline = role == .pipeline ? Shape.requireKeys + Shape.policyKeys : []
        let keys =
            switch self {
            case .run: Shape.anyAction + Shape.runKeys + ofPipeline
            case .post:
                Shape.anyAction.filter { $0.name != "env" || hasCondition } + Shape.postKeys + ofPipeline
            case .request:
                Shape.anyAction.filter { !["timeout", "env"].contains($0.name) || hasCondition } + Shape.requestKeys
                    + (role == .pipeline ? Shape.waitKeys : []) + ofPipeline
            case .gate: Shape.anyAction + Shape.gateKeys + Shape.requireKeys
            }
        return Shape(isKnown ? owner(role) : role.owner, keys)
    }
}

extension Entry {
    /// Whether the value is a mapping with this key.
    fileprivate func has(_ key: String) -> Bool {
        guard case .mapping(let mapping) = node else { return false }
        return mapping.contains { $0.key.scalar?.string == key }
    }
}

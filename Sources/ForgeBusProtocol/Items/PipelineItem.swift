/// A pipeline that a worker hosts, as LIST and SHOW tell it.
///
/// In a list, a pipeline has only the members down to ``PipelineMembers/pause``.
public typealias PipelineItem = Item<PipelineMembers>

/// The members of a ``PipelineItem``.
public struct PipelineMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// The pipeline's name.
    public let name = RequiredMember<PipelineName>("pipeline", "The pipeline's name.")
    /// The seeds that the pipeline declares.
    public let seeds = RequiredMember<[SeedItem]>("seeds", "The seeds that a request for a run may give.")
    /// The keys of the pipeline's outputs.
    public let outputs = RequiredMember<[String]>("outputs", "The keys of the outputs.")
    /// The pipeline's pause; nil if it is not paused.
    public let pause = Member<PauseItem>("paused", "The pipeline's pause.")
    /// The number of runs of the pipeline that may execute at once.
    public let slots = Member<Int>("slots", "How many runs of the pipeline may execute at once.")
    /// The rule that of the runs with one key, only one at a time has begun; nil if there is none.
    public let onePer = Member<OnePerItem>("one_per", "The rule that of the runs with one key, only one has begun.")
    /// The number of runs of the pipeline that have a slot now.
    public let executing = Member<Int>("executing", "How many runs have a slot.")
    /// The number of runs of the pipeline that wait for a slot.
    public let queued = Member<Int>("queued", "How many runs wait for a slot.")
    /// The pipeline's actions, in the order in which they are written.
    public let actions = Member<[PipelineActionItem]>("actions", "The pipeline's actions.")
}

/// The rule that of a pipeline's runs with one key, only one at a time has begun.
public typealias OnePerItem = Item<OnePerMembers>

/// The members of a ``OnePerItem``.
public struct OnePerMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// The template of the key.
    public let key = RequiredMember<String>("key", "The template of the key.")
    /// The group whose pipelines share their keys; nil if the keys are those of the one pipeline.
    public let group = Member<String>("group", "The group whose pipelines share their keys.")
    /// What happens to a new run while another run has its key, as the worker names it.
    public let newcomer = RequiredMember<String>("then", "What happens to a new run: queue, supersede or refuse.")
}

/// A seed that a pipeline declares.
public typealias SeedItem = Item<SeedMembers>

/// The members of a ``SeedItem``.
public struct SeedMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// The seed's key.
    public let key = RequiredMember<String>("key", "The seed's key.")
    /// The type of the seed's value, as the worker names it.
    public let type = RequiredMember<String>("type", "The type of its value.")
    /// Whether the worker refuses a run without this seed.
    public let isRequired = RequiredMember<Bool>("required", "Whether a request must give it.")
    /// Whether the value is secret; the worker never sends a secret value in an answer.
    public let isSecret = DefaultMember<Bool>("secret", false, "Whether its value is never shown.")
    /// The value that a run gets if the request does not give this seed; nil if the seed is required or secret, or if
    /// the default is null.
    public let defaultValue = Member<JSONValue>("default", "Its value if a request does not give it.")
}

/// An action of a pipeline.
public typealias PipelineActionItem = Item<PipelineActionMembers>

/// The members of a ``PipelineActionItem``.
public struct PipelineActionMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// The action's id.
    public let action = RequiredMember<String>("action", "The action's id.")
    /// The template of the gate's signal; nil if the action is no gate.
    public let gate = Member<String>("gate", "The template of the gate's signal.")
    /// What the gate tells those who decide.
    public let message = Member<String>("message", "What the gate tells those who decide.")
    /// The members of the gate's rule.
    let rule = RuleMembers()
    /// The pipeline that the action requests a run of; nil if it requests none.
    public let request = Member<PipelineName>("request", "The pipeline that the action requests a run of.")
    /// Whether the action waits for the run that it requests.
    public let waits = Member<Bool>("wait", "Whether the action waits for that run.")
    /// The actions that must have completed before.
    public let requires = DefaultMember<[String]>("requires", [], "The actions that must have completed before.")
}

public import ForgeBusProtocol
public import ForgeOrchestrator

/// An action that requests a run of another pipeline of the same worker, and may wait for its end.
///
/// The worker commits the new run together with this action's progress, so a crash neither loses the run nor begins it
/// twice. The new run has the same requester as the requesting run. If the requesting run is cancelled, the worker also
/// cancels the run that it waits for. A run that waits for another run holds no slot.
public struct RequestAction: PipelineAction {
    /// The action's id.
    public let id: ActionID
    /// The action's place in the order of actions.
    public let priority: ActionPriority
    /// The actions that must complete before this one.
    public let requires: Set<ActionID>
    /// The pipeline of the requested run.
    public let pipeline: Name
    /// The seeds of the requested run.
    public let seeds: [String: Source]
    /// Whether the action waits for the end of the run.
    public let waits: Bool
    /// Whether a run needs the request; nil if every run does.
    private let condition: (@Sendable (PipelineContext) async -> Bool)?

    /// Where a seed's value comes from.
    public enum Source: Hashable, Sendable {
        /// Always this value.
        case constant(JSONValue)
        /// The value of the requesting run's seed with this key.
        ///
        /// If that seed has no value, the request leaves out the seed of the requested run.
        case seed(String)
        /// The value under this key in the context.
        ///
        /// If the context has no such value, the request leaves out the seed of the requested run. If the value
        /// contains the value of a secret seed, `[secret]` replaces that part. The value under the key of a secret seed
        /// is passed unchanged.
        case value(String)
        /// The id of the requesting run.
        case runID
    }

    /// The most requested runs in one chain, in which each run requests the next.
    public static let maximumDepth = 8

    /// Creates an action that requests a run of `pipeline`.
    ///
    /// The context gets a value under `outputs.` and the action's id: without `waits`, the id of the requested run;
    /// with `waits`, the outputs of that run. With `waits`, the action fails unless that run completes.
    ///
    /// - Parameters:
    ///   - id: The action's id.
    ///   - pipeline: The pipeline of the requested run. No chain of requests may lead back to this pipeline.
    ///   - seeds: The seeds of the requested run, by key.
    ///   - waits: Whether the action waits for the end of the run.
    ///   - priority: The action's place in the order of actions.
    ///   - requires: The actions that must complete before this one.
    ///   - isNeeded: Whether the requesting run needs the request; if not, the action is skipped. With nil, every run
    ///     needs it.
    public init(
        _ id: ActionID,
        pipeline: Name,
        seeds: [String: Source] = [:],
        waits: Bool = false,
        priority: ActionPriority = .medium,
        requires: Set<ActionID> = [],
        isNeeded: (@Sendable (PipelineContext) async -> Bool)? = nil
    ) {
        self.id = id
        self.pipeline = pipeline
        self.seeds = seeds
        self.waits = waits
        self.priority = priority
        self.requires = requires
        condition = isNeeded
    }

    /// Always true, because the worker asks only at the action's turn whether the request is needed.
    public func shouldRun() async -> Bool { true }

    /// Fails: only a worker can begin the run, and it does not call this method.
    public func execute(context: PipelineContext) async -> ActionResult {
        .failed(Errors.onlyAWorkerBegins)
    }

    /// Whether the requesting run needs the request.
    func isNeeded(in context: PipelineContext) async -> Bool { await condition?(context) ?? true }

    /// The key under which the context gets the action's value.
    var key: String { "outputs.\(id.rawValue)" }

    /// The request with the values of `context`; it contains a secret only in the value of a secret seed.
    func order(in context: PipelineContext) -> RequestedRun {
        var filled = JSONObject()
        for (key, source) in seeds.sorted(by: { $0.key < $1.key }) { filled[key] = source.value(in: context) }
        return RequestedRun(pipeline: pipeline, seeds: filled, waits: waits)
    }

    /// The result after the requested run has ended; a completed run leaves its outputs in the context.
    func result(of run: RunResult, in context: PipelineContext) -> ActionResult {
        let result = ActionResult(ActionOutcome.Result(requested: run))
        if case .completed = result { context.set(key, JSONValue.object(run.outputs).swiftValue ?? JSONValue.null) }
        return result
    }

    /// The definition as a text; a later worker compares the digest of this text to recognise a change.
    var definition: String {
        let seeds = seeds.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return "\(pipeline) \(waits) \(seeds.joined(separator: ", "))"
    }
}

extension ActionOutcome.Result {
    /// The result of an action that waited for the run that it requested: `completed` only if that run completed.
    init(requested run: RunResult) {
        guard run.state != .completed else {
            self = .completed
            return
        }
        // The reason of a run that was cancelled, for instance, names the state itself.
        let namesState = !run.reason.isEmpty && run.state != .failed && run.state != .lost
        let state = namesState ? "" : " as \(run.state.rawValue)"
        let reason = run.reason.isEmpty ? "" : ": \(run.reason)"
        self = .failed("the run \(run.run), which this action requested, ended\(state)\(reason)")
    }
}

extension RequestAction.Source {
    /// Makes the source that a placeholder names; nil for a template that is not only one placeholder.
    package init?(_ template: MessageTemplate) {
        switch template.onlyPart {
        case .run: self = .runID
        case .seed(let name): self = .seed(name)
        case .value(let name): self = .value(name)
        case .text, nil: return nil
        }
    }

    /// The value in a run; nil if the run has none.
    package func value(in context: PipelineContext) -> JSONValue? {
        func value(_ name: String) -> JSONValue? { context.written[name].flatMap { JSONValue(contextValue: $0) } }
        switch self {
        case .constant(let value): return value
        case .seed(let name): return value(name)
        case .value(let name):
            guard let mask = context.runHost?.mask, !mask.keys.contains(name) else { return value(name) }
            return value(name).map(mask.masked)
        case .runID: return context.runID.map { .string($0.text) }
        }
    }
}

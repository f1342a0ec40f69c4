import Logging

/// The steps of an evaluation that are special to pipelines, for one run.
final class PipelineWork: Work {
    let context: PipelineContext
    /// The host that may execute actions instead of the pipeline, or nil.
    private let host: (any PipelineHost)?
    /// The actions of the pipeline when the run began.
    let registered: [Registration<any PipelineAction>]
    /// The results of eligible actions that were known before the run was resumed; empty for a new run.
    private let known: [ActionID: ActionResult]
    /// Whether a cancellation of the task keeps further actions from starting.
    let endsWhenCancelled: Bool
    private let logger: Logger

    init(
        context: PipelineContext,
        registered: [Registration<any PipelineAction>],
        known: [ActionID: ActionResult] = [:],
        endsWhenCancelled: Bool,
        logger: Logger
    ) {
        self.context = context
        host = context.host
        self.registered = registered
        self.known = known
        self.endsWhenCancelled = endsWhenCancelled
        self.logger = logger
        context.beginRun(results: known, capacity: registered.count)
    }

    func priority(of action: any PipelineAction) -> ActionPriority { action.priority }
    nonisolated(nonsending) func shouldRun(_ action: any PipelineAction) async -> Bool {
        await action.shouldRun(context: context)
    }
    nonisolated(nonsending) func execute(_ next: Registration<any PipelineAction>) async -> ActionResult? {
        let action = next.action
        guard let host, host.standsBefore(action) else { return await action.execute(context: context) }
        return await host.execute(action, in: context)
    }
    func willExecute(_ id: ActionID) { context.begin(id) }
    func didEnd(_ id: ActionID, _ result: ActionResult?) { context.end(id, result) }

    func decide(
        _ next: Registration<any PipelineAction>,
        of eligible: [Registration<any PipelineAction>]
    ) -> Decision {
        if !known.isEmpty, let result = known[next.id] { return .known(result) }
        if endsWhenCancelled, Task.isCancelled { return .skip }
        let requires = next.action.requires
        return requires.isEmpty || areMet(requires, by: next.id, eligible) ? .execute : .skip
    }
}

extension PipelineWork {
    /// Whether all required actions completed.
    ///
    /// Logs a warning for each required action that has no result, because that is probably a mistake in the pipeline.
    private func areMet(
        _ requires: Set<ActionID>,
        by id: ActionID,
        _ eligible: [Registration<any PipelineAction>]
    ) -> Bool {
        let unmet = requires.filter { context.result(of: $0) != .completed }
        for required in unmet.sorted() where context.result(of: required) == nil {
            let reason = required == id ? "an action cannot require itself" : absence(of: required, eligible)
            warn(id, requires: required, reason)
        }
        return unmet.isEmpty
    }

    private func absence(of id: ActionID, _ eligible: [Registration<any PipelineAction>]) -> String {
        if eligible.contains(where: { $0.id == id }) { return Errors.requiredLater }
        return registered.contains { $0.id == id }
            ? "the condition of the required action did not hold"
            : "no action with the required id is registered"
    }

    private func warn(_ id: ActionID, requires required: ActionID, _ reason: String) {
        logger.warning(
            "action skipped: an action that it requires has not run",
            metadata: ["action": "\(id)", "requires": "\(required)", "reason": "\"\(reason)\""]
        )
    }
}

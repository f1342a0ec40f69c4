public import ForgeBusProtocol
public import ForgeOrchestrator

/// Stands between a run and its actions: tries one that failed again, and stops the run at one that failed for good.
final class RunHost: PipelineHost {
    let run: RunID
    let loop: WorkerLoop
    private let policies: [ActionID: ActionPolicy]
    private let attempts = Guarded(1)

    init(_ run: RunID, of pipeline: HostedPipeline, on loop: WorkerLoop) {
        self.run = run
        self.loop = loop
        policies = pipeline.policies
    }

    /// Which attempt of the current action this is, from 1.
    var attempt: Int { attempts.withLock { $0 } }

    func execute(_ action: any PipelineAction, in context: PipelineContext) async -> ActionResult {
        guard !policies.isEmpty, let id = context.currentActionID, let policy = policies[id] else {
            return await action.execute(context: context)
        }
        defer { begin(attempt: 1) }
        while true {
            let result = await action.execute(context: context)
            guard case .failed(let reason) = result, !Task.isCancelled else { return result }
            let pause: RunPause.Kind
            if attempt < policy.attempts {
                pause = .retry(attempt: attempt + 1, after: policy.pause(after: attempt))
            } else if policy.onFailure == .park {
                pause = .redrive(reason: reason)
            } else {
                return result
            }
            guard await loop.pause(run, id, pause) else { return result }
            if case .retry(let next, _) = pause { begin(attempt: next) } else { begin(attempt: 1) }
        }
    }

    private func begin(attempt: Int) { attempts.withLock { $0 = attempt } }
}

extension PipelineContext {
    /// The id of the run this context belongs to; nil outside a worker.
    public var runID: RunID? { runHost?.run }

    /// What makes the current action's effect single: the same for each attempt at it, and for no other action or run.
    ///
    /// An action may be executed again, because it failed or because the worker died; whoever takes its effect can tell
    /// by the token that it has it already. Nil outside a worker, and between actions.
    public var actionToken: String? {
        guard let run = runID, let action = currentActionID else { return nil }
        return "\(run)/\(action)"
    }

    /// Which attempt at the current action this is, from 1.
    public var attempt: Int { runHost?.attempt ?? 1 }

    var runHost: RunHost? { host as? RunHost }
}

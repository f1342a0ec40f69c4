extension PipelineOrchestrator {
    /// Runs the pipeline once, with the actions that are registered at the time of the call.
    ///
    /// Any number of runs may execute at the same time, each with its own context. A run does not change the observable
    /// properties and is independent of ``evaluate()``.
    ///
    /// If the task is cancelled, no further action starts: the remaining actions get ``ActionResult/skipped``, and
    /// ``PipelineReport/isCancelled`` is true. The action that is executing can check for the cancellation itself.
    ///
    /// - Parameters:
    ///   - context: The run's context, with the values that the run begins with. The actions add values to the context.
    ///     The run first removes the results of an earlier run from the context.
    ///   - resuming: The state of an interrupted run to continue, or nil for a new run. A continued run evaluates no
    ///     conditions and does not execute actions that have a result. An eligible action that is no longer registered
    ///     gets ``ActionResult/failed(_:)``.
    ///   - onTransition: Called for each step; the run continues after the closure returns.
    /// - Returns: The report of the run. If a run was continued, the earlier results have times of zero.
    public nonisolated(nonsending) func run(
        context: PipelineContext = PipelineContext(),
        resuming: PipelineResumption? = nil,
        onTransition: (@Sendable (PipelineTransition) async -> Void)? = nil
    ) async -> PipelineReport {
        let registered = registry.all
        let listener = TransitionListener(tell: onTransition, host: context.host)
        if let resuming { return await resume(resuming, among: registered, context, tell: listener) }
        return await evaluate(registered, context, endsWhenCancelled: true, tell: listener)
    }

    /// Evaluates the conditions and executes the eligible actions, for ``evaluate()`` and for a new run.
    @concurrent nonisolated func evaluate(
        _ registered: [Registration<any PipelineAction>],
        _ context: PipelineContext,
        endsWhenCancelled: Bool,
        tell listener: some EvaluationListener
    ) async -> PipelineReport {
        let engine = Engine(
            work: PipelineWork(
                context: context,
                registered: registered,
                endsWhenCancelled: endsWhenCancelled,
                logger: logger
            ),
            stopwatch: Stopwatch(clock)
        )
        let eligible = await engine.eligible(among: registered)
        await listener.eligible(eligible.map(\.id))
        return await engine.report(eligible, tell: listener)
    }

    /// Continues an interrupted run: executes its eligible actions that have no result yet.
    @concurrent private nonisolated func resume(
        _ resumption: PipelineResumption,
        among registered: [Registration<any PipelineAction>],
        _ context: PipelineContext,
        tell listener: some EvaluationListener
    ) async -> PipelineReport {
        let eligible = resumption.registrations(among: registered)
        let ids = Set(eligible.map(\.id))
        let work = PipelineWork(
            context: context,
            registered: registered,
            known: resumption.results.filter { ids.contains($0.key) },
            endsWhenCancelled: true,
            logger: logger
        )
        return await Engine(work: work, stopwatch: Stopwatch(clock)).report(eligible, tell: listener)
    }
}

extension Engine where W == PipelineWork {
    fileprivate nonisolated(nonsending) func report(
        _ eligible: [Registration<any PipelineAction>],
        tell listener: some EvaluationListener
    ) async -> PipelineReport {
        let reports = await execute(eligible, tell: listener)
        return PipelineReport(
            eligible: eligible.map(\.id),
            actions: reports,
            isCancelled: work.endsWhenCancelled && Task.isCancelled
        )
    }
}

extension PipelineResumption {
    /// The eligible actions in their order, without repeated ids.
    fileprivate func registrations(
        among registered: [Registration<any PipelineAction>]
    ) -> [Registration<any PipelineAction>] {
        let actions = Dictionary(uniqueKeysWithValues: registered.map { ($0.id, $0) })
        var seen: Set<ActionID> = []
        return eligible.filter { seen.insert($0).inserted }.map { id in
            actions[id] ?? Registration(id: id, action: UnregisteredAction(id: id))
        }
    }
}

/// Replaces an eligible action that is no longer registered when a run is resumed.
///
/// The replacement fails, so that the run does not look complete.
private struct UnregisteredAction: PipelineAction {
    let id: ActionID
    let priority = ActionPriority.medium

    func shouldRun() async -> Bool { true }

    func execute(context: PipelineContext) async -> ActionResult {
        .failed(Errors.noAction(id))
    }
}

/// Passes the steps of a run to the closure given to `run`.
private struct TransitionListener: EvaluationListener {
    let tell: (@Sendable (PipelineTransition) async -> Void)?
    let host: (any PipelineHost)?

    nonisolated(nonsending) func eligible(_ ids: [ActionID]) async { if isHeard { await tell?(.eligible(ids)) } }
    nonisolated(nonsending) func started(_ id: ActionID) async { if isHeard { await tell?(.started(id)) } }
    nonisolated(nonsending) func finished(_ report: ActionReport) async {
        if isHeard { await tell?(.finished(report)) }
    }

    private var isHeard: Bool { tell != nil && host?.hearsTransitions ?? true }
}

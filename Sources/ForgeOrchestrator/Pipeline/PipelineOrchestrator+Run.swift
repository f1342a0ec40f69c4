extension PipelineOrchestrator {
    /// Runs the pipeline once, over the actions registered when this is called.
    ///
    /// Any number of runs may be under way at once, each with a context of its own. A run shows in none of the
    /// observable properties and is independent of ``evaluate()``.
    ///
    /// When the task is cancelled no further action starts: the rest report ``ActionResult/skipped``, and
    /// ``PipelineReport/isCancelled`` is true. The action that is executing decides itself how to react.
    ///
    /// - Parameters:
    ///   - context: The values the run begins with; the actions add to it. Results of an earlier run are forgotten.
    ///   - resuming: Where an interrupted run stood. Conditions are then not asked again, and actions with a result are
    ///     not executed again. An eligible id that is no longer registered reports ``ActionResult/failed(_:)``.
    ///   - onTransition: Told about each step; the run goes on when it returns.
    /// - Returns: What happened. For actions whose result was known from the start the times are zero.
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

    /// Asks the conditions and executes: what ``evaluate()`` and a run from the beginning have in common.
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

    /// Executes what an interrupted run had not executed.
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
    /// The eligible actions in their order, each once.
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

/// Stands for an action that an interrupted run was to execute and that is no longer there: the run must not look as if
/// it had completed.
private struct UnregisteredAction: PipelineAction {
    let id: ActionID
    let priority = ActionPriority.medium

    func shouldRun() async -> Bool { true }

    func execute(context: PipelineContext) async -> ActionResult {
        .failed("No action is registered under the id \(id).")
    }
}

/// Passes the steps of a run on to whoever asked for them.
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

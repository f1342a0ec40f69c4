import ForgeBusProtocol
import ForgeOrchestrator

/// Executes a run once: from its start or its resumption, until it is suspended or ends.
final class RunExecution: Sendable {
    private let start: RunStart
    private let pipeline: HostedPipeline
    private let host: RunHost
    private let keepsValues: Bool
    /// The run's age when this execution resumed it; zero if the run begins at its first action.
    ///
    /// The age is added to the reported times, so that they count from the run's start.
    private let age: Duration
    /// The run's age when the suspended action first began; nil if this worker has not begun that action.
    private let restBegan: Duration?

    init(_ start: RunStart, _ pipeline: HostedPipeline, _ host: RunHost, keepsValues: Bool) {
        self.start = start
        self.pipeline = pipeline
        self.host = host
        self.keepsValues = keepsValues
        age = start.resumption == nil ? .zero : host.age
        restBegan = host.restBegan
    }

    /// Executes the run, and reports its end or its suspension.
    ///
    /// - Returns: Whether the run has finished; otherwise it is suspended, and resumes with the same context.
    nonisolated(nonsending) func run(in context: PipelineContext) async -> Bool {
        let report = await pipeline.orchestrator.run(
            context: context,
            resuming: start.resumption.map { PipelineResumption(eligible: $0.eligible, results: $0.results) },
            onTransition: { await self.note($0, in: context) }
        )
        let actions = report.actions.map { ActionOutcome(told($0)) }
        if let rest = rest(report, actions, values(changedIn: context)) {
            host.loop.report(.rested(rest))
            return false
        }
        let outputs = RunOutputs(of: pipeline, context.written, beside: actions) { [mask = host.mask] in
            mask?.masked($0) ?? $0
        }
        // The loop must still take the steps of a resumed run: they tell the core that the action which failed earlier
        // has now ended.
        if start.resumption == nil { host.end() }
        host.loop.report(.ended(start.run, actions, outputs: outputs.values, flaw: outputs.flaw))
        return true
    }

    /// At which action and why the run is suspended; nil if the run has finished.
    private func rest(_ report: PipelineReport, _ actions: [ActionOutcome], _ values: RunValues) -> RunRest? {
        guard let kind = host.rest, report.actions.count < report.eligible.count else { return nil }
        return RunRest(
            run: start.run,
            action: report.eligible[report.actions.count].rawValue,
            waiter: host.loop.waits.mint(),
            kind: host.mask?.masked(kind) ?? kind,
            eligible: report.eligible.map(\.rawValue),
            actions: actions,
            values: values
        )
    }

    private func values(changedIn context: PipelineContext) -> RunValues {
        keepsValues ? RunValues(changedIn: context) : RunValues()
    }

    private func note(_ transition: PipelineTransition, in context: PipelineContext) async {
        switch transition {
        // This transition was reported when the action first began.
        case .started(let action) where action.rawValue == start.resumption?.answer?.action: break
        case .eligible: host.tell(transition, values(changedIn: context))
        case .started: host.tell(transition)
        case .finished(let report):
            let values = values(changedIn: context)
            let finished = PipelineTransition.finished(told(report))
            guard pipeline.checkpoint == .strict else {
                return host.tell(finished, values)
            }
            await host.loop.checkpoint { [run = start.run] waiter in
                .transition(run, finished, values, checkpoint: waiter)
            }
        }
    }

    /// The report as the core gets it: with times since the run's start, and without the values of secret seeds.
    private func told(_ report: ActionReport) -> ActionReport {
        let shifted = shifted(report)
        return host.mask?.masked(shifted) ?? shifted
    }

    private func shifted(_ report: ActionReport) -> ActionReport {
        guard age > .zero else { return report }
        let end = age + report.start + report.duration
        let isGoneOn = report.id.rawValue == start.resumption?.answer?.action
        let begin = isGoneOn ? restBegan ?? age + report.start : age + report.start
        return ActionReport(id: report.id, result: report.result, start: begin, duration: end - begin)
    }
}

/// Finds the eligible actions and executes them, for all three orchestrators.
///
/// The orchestrators call the engine off the main actor. The engine evaluates the conditions concurrently. It sorts the
/// eligible actions by priority; actions with the same priority keep their registration order. Then it executes the
/// actions one after the other.
struct Engine<W: Work>: Sendable {
    let work: W
    /// Measures the time since the evaluation began.
    let stopwatch: Stopwatch

    /// Evaluates the conditions and returns the actions whose condition holds, in the order of execution.
    nonisolated(nonsending) func eligible(among registered: [Registration<W.Action>]) async -> [Registration<W.Action>]
    {
        let work = work
        let isOpen = ExecutionGate.current?.isOpen
        let answers = await ConditionPoll.ask(registered.count, stopwatch) {
            if let isOpen, !isOpen() { return false }
            return await work.shouldRun(registered[$0].action)
        }
        // Read each priority only once: `priority` may be a computed property whose value changes.
        let priorities = registered.indices.map { answers[$0] ? work.priority(of: registered[$0].action) : nil }
        var eligible: [Registration<W.Action>] = []
        eligible.reserveCapacity(registered.count)
        for priority in ActionPriority.allCases {
            for index in registered.indices where priorities[index] == priority { eligible.append(registered[index]) }
        }
        return eligible
    }

    /// Executes the eligible actions in the given order and returns a report about each.
    ///
    /// If an action suspends the run (its `execute` returns nil), that action and the later ones have no report. The same
    /// holds for actions that may not begin (``ExecutionGate``).
    nonisolated(nonsending) func execute(
        _ eligible: [Registration<W.Action>],
        tell listener: some EvaluationListener
    ) async -> [ActionReport] {
        var reports: [ActionReport] = []
        reports.reserveCapacity(eligible.count)
        let isOpen = ExecutionGate.current?.isOpen
        for next in eligible {
            if let isOpen, !isOpen() { return reports }
            switch work.decide(next, of: eligible) {
            case .execute:
                guard let report = await execute(next, tell: listener) else { return reports }
                reports.append(report)
            case .skip: reports.append(await skip(next, tell: listener))
            case .known(let result):
                reports.append(ActionReport(id: next.id, result: result, start: .zero, duration: .zero))
            }
        }
        return reports
    }

    private nonisolated(nonsending) func execute(
        _ next: Registration<W.Action>,
        tell listener: some EvaluationListener
    ) async -> ActionReport? {
        await listener.started(next.id)
        work.willExecute(next.id)
        let start = stopwatch.elapsed
        let result = await work.execute(next)
        let duration = stopwatch.elapsed - start
        work.didEnd(next.id, result)
        guard let result else { return nil }
        let report = ActionReport(id: next.id, result: result, start: start, duration: duration)
        await listener.finished(report)
        return report
    }

    private nonisolated(nonsending) func skip(
        _ next: Registration<W.Action>,
        tell listener: some EvaluationListener
    ) async -> ActionReport {
        let report = ActionReport(id: next.id, result: .skipped, start: stopwatch.elapsed, duration: .zero)
        work.didEnd(next.id, .skipped)
        await listener.finished(report)
        return report
    }
}

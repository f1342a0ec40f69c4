/// Finds out which actions run, and runs them: the one place where all three orchestrators do this.
///
/// All of it happens off the main actor. Conditions are asked concurrently; what passes is sorted by priority, ties in
/// registration order; then the actions execute one after the other.
struct Engine<W: Work>: Sendable {
    let work: W
    /// Started when the evaluation began.
    let stopwatch: Stopwatch

    /// The actions whose condition holds, in the order of execution.
    @concurrent func eligible(among registered: [Registration<W.Action>]) async -> [Registration<W.Action>] {
        let work = work
        let answers = await ConditionPoll.ask(registered.count) { await work.shouldRun(registered[$0].action) }
        let passed = registered.indices.filter { answers[$0] }.map { index in
            (index: index, priority: work.priority(of: registered[index].action))
        }
        return ActionPriority.allCases.flatMap { priority in
            passed.filter { $0.priority == priority }.map { registered[$0.index] }
        }
    }

    /// Executes the actions in this order and reports how each ended that did: fewer where the evaluation was left.
    @concurrent func execute(
        _ eligible: [Registration<W.Action>],
        tell listener: some EvaluationListener
    ) async -> [ActionReport] {
        var reports: [ActionReport] = []
        reports.reserveCapacity(eligible.count)
        for next in eligible {
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

    private func execute(_ next: Registration<W.Action>, tell listener: some EvaluationListener) async -> ActionReport?
    {
        await listener.started(next.id)
        work.willExecute(next.id)
        let start = stopwatch.elapsed
        let result = await work.execute(next.action)
        let duration = stopwatch.elapsed - start
        work.didEnd(next.id, result)
        guard let result else { return nil }
        let report = ActionReport(id: next.id, result: result, start: start, duration: duration)
        await listener.finished(report)
        return report
    }

    private func skip(_ next: Registration<W.Action>, tell listener: some EvaluationListener) async -> ActionReport {
        let report = ActionReport(id: next.id, result: .skipped, start: stopwatch.elapsed, duration: .zero)
        work.didEnd(next.id, .skipped)
        await listener.finished(report)
        return report
    }
}

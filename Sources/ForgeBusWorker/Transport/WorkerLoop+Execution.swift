import ForgeLocks
import ZeroMQ

/// Turns the reports of runs and cycles, which execute on Swift's thread pool, into events of the core.
extension WorkerLoop: WorkSupervisor {
    @discardableResult
    func post(_ event: @escaping @Sendable () -> Event) -> Bool {
        submit { [self] reactor in step(event(), reactor) }
    }

    func report(_ report: RunReport) {
        let isFirst = reports.withLock { reports in
            reports.append(report)
            return reports.count == 1
        }
        guard isFirst else { return }
        submit { [self] reactor in
            for report in reports.withLock({ exchange(&$0, with: []) }) { take(report, reactor) }
        }
    }

    private func take(_ report: RunReport, _ reactor: isolated Reactor) {
        switch report {
        case .wentOn(let host):
            let steps = host.takeSteps()
            // The end comes next and reports all of them; only a follower of the run needs each step.
            if steps.areOver, !core.runs.isFollowed(host.run) { return }
            for step in steps.list { self.step(.transition(host.run, step.transition, step.values), reactor) }
        case .printed(let run, let output): step(.printed(run, output), reactor)
        case .ended(let run, let actions, let outputs, let flaw):
            hosted.forget(run)
            step(.runEnded(run, actions, outputs: outputs, flaw: flaw), reactor)
        case .rested(let rest):
            hosted.rest(rest.run)
            step(.rested(rest), reactor)
        }
    }

    /// Waits until no run and no cycle executes any more, but at most for this time.
    ///
    /// - Returns: Whether nothing executes.
    func rests(within time: Duration) async -> Bool {
        let deadline = ContinuousClock.now + time
        while await !isIdle(on: reactor) {
            guard ContinuousClock.now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return true
    }

    private func isIdle(on reactor: isolated Reactor) -> Bool { hosted.isIdle }

    /// Cancels all work and resumes all waiters, so that nothing waits for a worker that has stopped.
    func stopHosting() async { await stopHosting(on: reactor) }

    private func stopHosting(on reactor: isolated Reactor) {
        settlers.hasStopped = true
        hosted.cancelAll(hasDied: simulated?.isFrozen == true)
        waits.closeAll()
        door.closeAll()
        troubles.flush()
    }
}

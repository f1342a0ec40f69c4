import ForgeBusProtocol

/// What waiting does to a run, whatever it waits for: it gives its slot away and gets one again to go on with.
extension WorkerCore {
    /// An action failed and is to be tried again, later or when somebody says so.
    mutating func pause(_ pause: RunPause, at now: Moment) {
        guard mayWait(pause.run) else {
            return emit(.resume(pause.waiter, .decided(.closed(why: "Its run is over."))))
        }
        switch pause.kind {
        case .retry(let attempt, let after):
            deadlines.add(.retry(pause.run, pause.waiter), at: now.advanced(by: after))
            let change = RunProgress.Change.retrying(action: pause.action, attempt: attempt, after: after)
            suspend(pause.run, pause.waiter, .retry(action: pause.action), telling: change, toAll: false)
        case .redrive(let reason):
            if let deadline = runs[pause.run]?.deadline {
                // The clock of the whole run stands still.
                runs[pause.run]?.remaining = deadline.since(now)
                runs[pause.run]?.deadline = nil
            }
            let change = RunProgress.Change.parked(action: pause.action, reason: reason.asReason)
            suspend(pause.run, pause.waiter, .redrive(action: pause.action), telling: change, toAll: true)
        }
    }

    /// The pause before the next attempt is over.
    mutating func retry(_ run: RunID, _ waiter: WaiterID) {
        guard case .retry = runs[run]?.waits[waiter] else { return }
        proceed(run, waiter, with: .proceed)
    }

    /// Somebody redrives a parked run: its deadline runs on.
    mutating func unpark(_ run: RunID, _ waiter: WaiterID, at now: Moment) {
        guard case .redrive(let action) = runs[run]?.waits[waiter] else { return }
        if let remaining = runs[run]?.remaining {
            let deadline = now.advanced(by: remaining)
            runs[run]?.remaining = nil
            runs[run]?.deadline = deadline
            let redrives = (runs[run]?.redrives ?? 0) + 1
            runs[run]?.redrives = redrives
            deadlines.add(.runDeadline(run, redrives: redrives), at: deadline)
        }
        tell(.redriven(action: action), of: run, toAll: true)
        proceed(run, waiter, with: .proceed)
    }

    func mayWait(_ run: RunID) -> Bool {
        guard let run = runs[run] else { return false }
        if case .stopping = run.state { return false }
        return true
    }

    /// The run waits: it gives its slot to another.
    mutating func suspend(
        _ id: RunID,
        _ waiter: WaiterID,
        _ wait: Run.Wait,
        telling change: RunProgress.Change,
        toAll: Bool
    ) {
        guard var run = runs[id] else { return }
        run.waits[waiter] = wait
        let gaveSlot = run.holdsSlot
        run.holdsSlot = false
        run.isActive = false
        runs[id] = run
        tell(change, of: id, toAll: toAll)
        publish(run, run.standing)
        guard gaveSlot else { return }
        bounds.paused(run)
        queues.release(run.pipeline)
        fillSlots()
    }

    /// A wait of the run is over: its waiter resumes as soon as the run has a slot again.
    mutating func proceed(_ id: RunID, _ waiter: WaiterID, with outcome: WaitOutcome) {
        decided[waiter] = outcome
        guard let run = runs[id], !run.holdsSlot else { return resumeHoldingSlot(id, waiter) }
        // If another of its waits was over before, it has joined already.
        if !run.isRejoining {
            runs[id]?.isRejoining = true
            queues.rejoin(id, of: run.pipeline)
        }
        fillSlots()
    }

    /// A run that waited has a slot again: one for all of its waits that are over.
    mutating func resume(_ id: RunID) {
        guard var run = runs[id] else { fatalError("The queue held a run that is not known.") }
        run.holdsSlot = true
        run.isActive = true
        run.isRejoining = false
        runs[id] = run
        bounds.resumed(run)
        let waiters = run.waits.keys.filter { decided[$0] != nil }
        for waiter in waiters.sorted(by: { $0.number < $1.number }) { resumeHoldingSlot(id, waiter) }
        publish(run, .running)
    }

    private mutating func resumeHoldingSlot(_ id: RunID, _ waiter: WaiterID) {
        runs[id]?.waits[waiter] = nil
        if let outcome = decided[waiter] { hand(outcome, to: waiter) }
    }

    /// Whoever waits is resumed.
    mutating func hand(_ outcome: WaitOutcome, to waiter: WaiterID) {
        decided[waiter] = nil
        emit(.resume(waiter, outcome))
    }

    /// The run is over for what it waits for: signals are closed, and it resumes without a slot of its own.
    mutating func closeWaits(of id: RunID, why: String, at now: Moment) {
        for (waiter, wait) in runs[id]?.waits.sorted(by: { $0.key.number < $1.key.number }) ?? [] {
            let closed = GateDecision.closed(why: why)
            if case .signal(let signal) = wait { close(signal, waiter, as: closed, at: now) }
            hand(decided[waiter] ?? .decided(closed), to: waiter)
        }
        runs[id]?.waits = [:]
    }
}

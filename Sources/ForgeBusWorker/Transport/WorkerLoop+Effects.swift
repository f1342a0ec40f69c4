import ForgeBusProtocol
import ForgeBusStore
import ZeroMQ

/// Carries out the core's effects, after the changes of the same and of earlier decisions are committed.
extension WorkerLoop {
    func carryOut(_ effects: [Effect], _ reactor: isolated Reactor) {
        guard mayAct else { return }
        // Runs start first: they execute on other threads while this thread sends their acceptances.
        for index in effects.indices {
            if case .start(let start) = effects[index], mayAct { hosted.start(start, on: self) }
        }
        // The process may be suspended between two effects, and lose its lease meanwhile.
        for index in effects.indices where mayAct {
            switch effects[index] {
            case .answer(let answer, let caller):
                Failpoint.hit("before-reply")
                postman.send(answer, to: caller, reactor)
                Failpoint.hit("after-reply")
            case .tell(let told): tell(told, reactor)
            case .start: break
            case .cancel(let run): hosted.cancel(run)
            case .follow(let run): hosted.follow(run)
            case .dropRest(let run): hosted.dropRest(of: run)
            case .abandon(let run):
                // The event is posted, because the core must not step in the middle of these effects.
                post(.abandoned(run, action: hosted.currentAction(of: run)?.rawValue))
                hosted.forget(run)
            case .resume(let waiter, let outcome): waits.resume(waiter, outcome)
            case .runCycle(let monitor, let causes): hosted.runCycle(of: monitor, for: causes, on: self)
            case .cancelCycle(let monitor):
                hosted.cancelCycle(of: monitor)
                warn(.overdue(core.monitors.lanes[monitor].name), reactor)
            case .warn(let trouble): warn(trouble, reactor)
            case .show(let screen, let monitor): hosted.show(screen, to: monitor)
            case .pause(let isPaused, let monitor): hosted.setPaused(isPaused, monitor)
            case .audit(let record):
                if case .refused = record.event { counters[.forbidden] += 1 }
                audit(record)
            case .lookUp(let query): lookUp(query)
            case .perform(let task, let key): perform(task, for: key)
            case .drained: drained.complete()
            }
        }
    }

    private func warn(_ trouble: Trouble, _ reactor: isolated Reactor) {
        guard let due = troubles.tell(trouble) else { return }
        reactor.schedule(at: due) { [self] in troubles.flush() }
    }

    /// Waits until no answer waits any more, or the time is over.
    func flush(within time: Duration) async { await flush(within: time, on: reactor) }

    private func flush(within time: Duration, on reactor: isolated Reactor) async {
        let deadline = ContinuousClock.now + time
        while !postman.isIdle, ContinuousClock.now < deadline {
            // This is not a timer of the reactor: such timers end with the reactor, and then this wait would never end.
            do { try await Task.sleep(for: RetryPace.shortestPause) } catch { return }
        }
    }
}

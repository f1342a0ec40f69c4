import ForgeBusProtocol

/// Acts on deadlines that are due, and removes deadlines that nothing needs any more.
extension WorkerState {
    /// Acts on one deadline that is due.
    mutating func meet(_ due: Due) {
        switch due {
        case .runDeadline(let run, let redrives): deadlinePassed(run, redrives: redrives)
        case .runGrace(let run): if runs[run]?.isStopping == true { step.emit(.abandon(run)) }
        case .retry(let run, let waiter): retry(run, waiter)
        case .attachment(let run, let listener): endAttachment(to: run, listener: listener)
        case .gate(let signal, let waiter):
            if !giveUp(signal, waiter) { end(signal, waiter, as: .expired) }
        case .escalation(let signal, let waiter): escalate(signal, waiter)
        case .reminder(let signal, let waiter): remind(signal, waiter)
        case .early(let signal): dropEarly(signal)
        // The end of each step begins requested runs, so nothing remains to do here.
        case .fold: break
        case .pauseEnd(let subject, _): endPause(of: subject)
        case .evaluation(let id): expire(id)
        case .lane(let monitor, let number): wakeMonitor(monitor, number)
        }
    }

    /// Removes the deadlines that are no longer needed.
    mutating func sweepDeadlines() {
        step.sweepDeadlines { [runs, signals, monitors, evaluations, requested, pauses] due in
            switch due {
            case .runDeadline(let run, let redrives): runs[run]?.clock.holds(redrives) == true
            case .runGrace(let run): runs[run] != nil
            case .retry(let run, let waiter): runs[run]?.holds(waiter) == true
            case .attachment(let run, let listener): runs[run]?.audience.listener(listener) != nil
            case .gate(let signal, let waiter), .escalation(let signal, let waiter), .reminder(let signal, let waiter):
                signals.isWaiting(signal, waiter)
            case .early(let signal): signals.keepsEarly(signal)
            case .fold: requested.isFolding
            case .pauseEnd(let subject, let end): pauses.ends(subject, at: end)
            case .evaluation(let id): evaluations.isOwed(id)
            case .lane(let monitor, let wake): monitors.lanes[monitor].awaits(wake: wake)
            }
        }
    }
}

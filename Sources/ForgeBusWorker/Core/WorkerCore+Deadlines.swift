import ForgeBusProtocol

/// Acts on deadlines that are due, and removes deadlines that nothing needs any more.
extension WorkerCore {
    /// Acts on one deadline that is due.
    mutating func meet(_ due: Due) {
        switch due {
        case .runDeadline(let run, let redrives): runs.deadlinePassed(run, redrives: redrives, &signals, &out)
        case .runGrace(let run): if runs[run]?.isStopping == true { out.emit(.abandon(run)) }
        case .retry(let run, let waiter): runs.retry(run, waiter, &signals, &out)
        case .attachment(let run, let listener): runs.endAttachment(to: run, listener: listener, &out)
        case .gate(let signal, let waiter):
            if !signals.giveUp(signal, waiter, &out) { end(signal, waiter, as: .expired) }
        case .escalation(let signal, let waiter): signals.escalate(signal, waiter, place: place(of: signal), &out)
        case .reminder(let signal, let waiter): signals.remind(signal, waiter, &out)
        case .early(let signal): signals.dropEarly(signal, &out)
        // The end of each step begins owed runs, so nothing remains to do here.
        case .fold: break
        case .pauseEnd(let subject, _): endPause(of: subject)
        case .evaluation(let id): monitors.expire(id, &out)
        case .lane(let monitor, let number): monitors.wake(monitor, number, &out)
        }
    }

    /// Ends the pause of a pipeline or monitor if its time is over.
    private mutating func endPause(of subject: PauseSubject) {
        guard pauses.expire(subject, &out) else { return }
        RequestBook.setPaused(false, subject, &runs, &signals, &monitors, &out)
    }

    /// Removes the deadlines that are no longer needed.
    mutating func sweepDeadlines() {
        out.deadlines.sweep { [runs, signals, monitors, owed, pauses] due in
            switch due {
            case .runDeadline(let run, let redrives): runs[run]?.clock.holds(redrives) == true
            case .runGrace(let run): runs[run] != nil
            case .retry(let run, let waiter): runs[run]?.waits?.holds(waiter) == true
            case .attachment(let run, let listener): runs[run]?.audience.listener(listener) != nil
            case .gate(let signal, let waiter), .escalation(let signal, let waiter), .reminder(let signal, let waiter):
                signals.gates.isWaiting(signal, waiter)
            case .early(let signal): signals.gates.keepsEarly(signal)
            case .fold: owed.isFolding
            case .pauseEnd(let subject, let end): pauses.ends(subject, at: end)
            case .evaluation(let id): monitors.evaluations.isOwed(id)
            case .lane(let monitor, let wake): monitors.lanes[monitor].awaits(wake: wake)
            }
        }
    }
}

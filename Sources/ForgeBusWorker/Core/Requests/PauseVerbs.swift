import ForgeBusProtocol
import ForgeBusStore

/// Carries out PAUSE and RESUME.
extension WorkerState {
    mutating func pause(_ request: PauseRequest, _ received: Received) {
        guard isToBeDone(received, nil) else { return }
        let subject = request.subject
        if let error = objection(to: request) { return step.refuse(received, error) }
        switch request.change {
        case .pause(let time, let reason):
            let now = step.moment
            let record = PauseRecord(
                subject: subject,
                // Without keys, only the label distinguishes senders.
                principal: received.principal.ledgerName,
                via: received.principal.via,
                since: now.unixMilliseconds,
                until: time.map { now.unix(of: now.advanced(by: $0)) },
                reason: reason
            )
            pause(record, for: time)
            let report = StateReport(.paused, details: runs.details(of: subject))
            confirm(received, report, .paused(subject, until: record.until))
        case .resume:
            // The answer is for people, who want to know how many runs waited.
            var details = runs.details(of: subject)
            details["was_paused"] = .bool(pauses[subject] != nil)
            confirm(received, StateReport(.resumed, details: details), .resumed(subject))
            resume(subject)
        }
    }

    /// The refusal of a pipeline or monitor that the worker does not serve; otherwise nil.
    ///
    /// A paused pipeline or monitor can be resumed even if the worker no longer serves it.
    private func objection(to request: PauseRequest) -> BusError? {
        let name = request.subject.name
        if request.change == .resume, pauses[request.subject] != nil { return nil }
        return switch request.subject.kind {
        case .pipeline: runs.pipelines[name] == nil ? Errors.unknown(.unknownPipeline, "pipeline", name) : nil
        case .monitor: monitors[name] == nil ? Errors.unknown(.unknownMonitor, "monitor", name) : nil
        }
    }
}

// Pauses.
extension WorkerState {
    /// Begins a pause of a pipeline or monitor; replaces its earlier pause.
    ///
    /// The pause ends after `time`; if `time` is nil, it lasts until somebody resumes the pipeline or monitor.
    mutating func pause(_ record: PauseRecord, for time: Duration?) {
        let end = time.map { step.moment.advanced(by: $0) }
        pauses.add(record, until: end)
        step.keep(.pause(record))
        if let end { step.wake(.pauseEnd(record.subject, at: end), at: end) }
        setPaused(true, record.subject)
    }

    /// Restores the pauses of an earlier worker, without those whose time is over.
    mutating func restore(_ records: [PauseRecord]) {
        for record in records {
            let end = record.until.map { step.moment.at(unix: $0, atMost: WireLimits.timeToLive) }
            pauses.add(record, until: end)
            if let end, !expirePause(of: record.subject) { step.wake(.pauseEnd(record.subject, at: end), at: end) }
        }
        for pause in pauses.records { setPaused(true, pause.subject) }
    }

    /// Ends a pause at a person's request; does nothing if the pipeline or monitor is not paused.
    mutating func resume(_ subject: PauseSubject) {
        if let record = pauses.remove(subject) { step.forget(StoreRecord.pause(record).key) }
        setPaused(false, subject)
    }

    /// Ends a pause if its time is over.
    mutating func endPause(of subject: PauseSubject) { if expirePause(of: subject) { setPaused(false, subject) } }

    /// Removes a pause whose time is over, and reports that.
    ///
    /// - Returns: Whether the pause was removed; false if the time is not over, or there is no pause.
    private mutating func expirePause(of subject: PauseSubject) -> Bool {
        guard let record = pauses.expire(subject, at: step.moment) else { return false }
        step.forget(StoreRecord.pause(record).key)
        step.emit(.warn(.pauseEnded(record)))
        if subject.kind == .monitor {
            let now = step.moment.unixMilliseconds
            step.journal(JournalEntry(at: now, "pause_ended", monitor: subject.name))
        }
        return true
    }

    /// Keeps a pipeline's runs from getting slots, or a monitor from beginning cycles, or allows it again.
    private mutating func setPaused(_ isPaused: Bool, _ subject: PauseSubject) {
        switch subject.kind {
        case .pipeline: runs.setPaused(isPaused, subject.name)
        case .monitor:
            guard let monitor = monitors.lanes.firstIndex(where: { $0.name == subject.name }) else { return }
            step.emit(.pause(isPaused, monitor: monitor))
        }
    }
}

extension Runs {
    /// How many runs of a pipeline execute, and how many wait for a slot; empty for a monitor.
    fileprivate func details(of subject: PauseSubject) -> JSONObject {
        guard subject.kind == .pipeline else { return [:] }
        let load = queues.load(of: subject.name)
        return ["executing": .integer(Int64(load.held)), "queued": .integer(Int64(load.waiting))]
    }
}

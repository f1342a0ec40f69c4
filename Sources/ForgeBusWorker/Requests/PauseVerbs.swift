import ForgeBusProtocol
import ForgeBusStore

/// Carries out PAUSE and RESUME.
extension RequestBook {
    mutating func pause(
        _ request: PauseRequest,
        _ received: Received,
        _ pauses: inout PauseBook,
        _ runs: inout RunBook,
        _ signals: inout SignalBook,
        _ monitors: inout MonitorBook,
        _ out: inout Outbox
    ) {
        guard isToBeDone(received, nil, &out) else { return }
        let subject = request.subject
        if let error = Self.objection(to: request, pauses, runs, monitors) { return out.refuse(received, error) }
        switch request.change {
        case .pause(let time, let reason):
            let now = out.moment
            let record = PauseRecord(
                subject: subject,
                // Without keys, only the label distinguishes senders.
                principal: received.principal.ledgerName,
                via: received.principal.via,
                since: now.unixMilliseconds,
                until: time.map { now.unix(of: now.advanced(by: $0)) },
                reason: reason
            )
            pauses.add(record, for: time, &out)
            Self.setPaused(true, subject, &runs, &signals, &monitors, &out)
            let report = StateReport(.paused, details: runs.details(of: subject))
            confirm(received, report, .paused(subject, until: record.until), &out)
        case .resume:
            // The answer is for people, who want to know how many runs waited.
            var details = runs.details(of: subject)
            details["was_paused"] = .bool(pauses[subject] != nil)
            pauses.remove(subject, &out)
            confirm(received, StateReport(.resumed, details: details), .resumed(subject), &out)
            Self.setPaused(false, subject, &runs, &signals, &monitors, &out)
        }
    }

    /// Pauses a pipeline or monitor that the worker serves, or lets it continue.
    static func setPaused(
        _ isPaused: Bool,
        _ subject: PauseSubject,
        _ runs: inout RunBook,
        _ signals: inout SignalBook,
        _ monitors: inout MonitorBook,
        _ out: inout Outbox
    ) {
        switch subject.kind {
        case .pipeline: runs.setPaused(isPaused, subject.name, &signals, &out)
        case .monitor: monitors.setPaused(isPaused, subject.name, &out)
        }
    }

    /// The refusal of a pipeline or monitor that the worker does not serve; otherwise nil.
    ///
    /// A paused pipeline or monitor can be resumed even if the worker no longer serves it.
    private static func objection(
        to request: PauseRequest,
        _ pauses: PauseBook,
        _ runs: RunBook,
        _ monitors: MonitorBook
    ) -> BusError? {
        let name = request.subject.name
        if request.change == .resume, pauses[request.subject] != nil { return nil }
        return switch request.subject.kind {
        case .pipeline: runs.pipelines[name] == nil ? Errors.unknown(.unknownPipeline, "pipeline", name) : nil
        case .monitor: monitors[name] == nil ? Errors.unknown(.unknownMonitor, "monitor", name) : nil
        }
    }
}

extension RunBook {
    /// How many runs of a pipeline execute, and how many wait for a slot; empty for a monitor.
    fileprivate func details(of subject: PauseSubject) -> JSONObject {
        guard subject.kind == .pipeline else { return [:] }
        let load = queues.load(of: subject.name)
        return ["executing": .integer(Int64(load.held)), "queued": .integer(Int64(load.waiting))]
    }
}

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

extension Runs {
    /// How many runs of a pipeline execute, and how many wait for a slot; empty for a monitor.
    fileprivate func details(of subject: PauseSubject) -> JSONObject {
        guard subject.kind == .pipeline else { return [:] }
        let load = queues.load(of: subject.name)
        return ["executing": .integer(Int64(load.held)), "queued": .integer(Int64(load.waiting))]
    }
}

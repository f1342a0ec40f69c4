import ForgeBusProtocol
import ForgeBusStore

/// Begins the runs that the worker requests itself, in the same step as their causes.
extension WorkerCore {
    /// Begins the runs that actions, events and monitors have requested, in the same commit as their causes.
    mutating func beginRequestedRuns() {
        guard out.hasRequests || !owed.isEmpty else { return }
        let terms = Circumstances(access: access, phase: phase, isShort: isShort)
        repeat {
            while let request = out.nextRequest() { requests.begin(request, terms, &runs, &signals, &out) }
            for report in out.takeReports() { take(report) }
            if !owed.isEmpty { requests.beginOwed(&owed, terms, &runs, &signals, &out) }
        } while out.hasRequests
    }

    private mutating func take(_ report: Report) {
        switch report {
        case .occurred(let occurrence):
            let pipeline = occurrence.pipeline.flatMap { runs.pipelines[$0] }
            guard let request = owed.owe(for: occurrence, hooksOf: pipeline, &runs.numbers, &out) else { return }
            let entry = JournalEntry.requested(request.run, of: request.pipeline, for: occurrence, at: out.moment)
            out.journal(entry, place: occurrence.place)
        case .hookEnded(let pipeline, let run, let trouble): owed.ended(run, of: pipeline, trouble: trouble, &out)
        case .hookCancelled(let pipeline, let run): owed.cancelled(run, of: pipeline)
        }
    }

    /// Why the run that an action of a monitor requests can never begin; nil if it can, now or later.
    private mutating func objection(to request: RemedyRequest, of monitor: Name) -> BusError? {
        let record = OwedRecord(
            run: runs.numbers.next,
            pipeline: request.order.pipeline,
            origin: RunOrigin(.monitor(monitor, action: request.action), causers: request.causers),
            seeds: request.order.seeds,
            unixMilliseconds: out.moment.unixMilliseconds
        )
        do throws(BusError) {
            _ = try runs.make(NewRun(record, seeds: record.seeds), isShort: false, signals, access, at: out.moment)
            return nil
        } catch {
            return error.code == .busy ? nil : error
        }
    }

    /// Handles the request for a run by a monitor's action; the action waits for the answer.
    mutating func remedy(_ request: RemedyRequest) {
        let name = monitors.lanes[request.monitor].name
        // The unfinished run may hold a signal that the next run would need. That is no reason to refuse the request.
        if owed.awaits(request, of: name, isUnfinished: { [runs] in runs[$0] != nil }) {
            return out.emit(.resume(request.waiter, .proceed))
        }
        if let error = objection(to: request, of: name) { return out.emit(.resume(request.waiter, .refused(error))) }
        let run = owed.owe(request, of: name, &runs.numbers, &out)
        let entry = JournalEntry.requested(run, by: request, of: name, at: out.moment)
        out.journal(entry)
        out.emit(.resume(request.waiter, .requested(run)))
    }
}

import ForgeBusProtocol
import ForgeBusStore

/// Begins the runs that the worker requests itself: for actions of other runs, for monitors and for events.
extension WorkerState {
    /// Begins the runs that actions, events and monitors have requested, in the same commit as their causes.
    mutating func beginRequestedRuns() {
        guard step.hasRequests || !requested.isEmpty else { return }
        repeat {
            while let request = step.nextRequest() { begin(request) }
            for report in step.takeReports() { take(report) }
            if !requested.isEmpty { beginWaiting() }
            fillSlots()
        } while step.hasRequests
    }

    /// Begins the run that an action of another run requests, or finds the run that the same attempt requested before.
    private mutating func begin(_ request: RequestByRun) {
        guard let outer = runs[request.outer] else { return }
        let new = NewRun(request, of: outer)
        let key = new.request ?? .worker(outer.id)
        do throws(BusError) {
            switch ledger.rule(on: key, new.fingerprint) {
            case .known(.run(let inner)):
                try checkKey(of: inner, for: request)
                grant(inner, to: request)
            case .known, .conflict: throw Errors.conflict(key.id, nil)
            case .full: throw Errors.ledgerIsFull
            case .new:
                if let depth = new.origin?.depth, depth > RequestAction.maximumDepth {
                    throw Errors.chainTooLong(most: RequestAction.maximumDepth)
                }
                let (inner, now) = (try make(new), step.moment)
                journal(.requested(inner.id, by: request, at: now))
                ledger.admit(key, inner.id)
                begin(inner)
                grant(inner.id, to: request)
            }
        } catch {
            refused(error, to: request)
        }
    }

    /// Refuses the wait for a run that was requested before and would never begin, because it waits for a key.
    private func checkKey(of inner: Name, for request: RequestByRun) throws(BusError) {
        guard request.order.waits, let run = runs[inner], run.began == nil, let key = run.terms.key else { return }
        if runs.isDeadlock(key, requestedBy: request.outer, supersedes: false) {
            throw Errors.keyHeldByWaiter(key, of: request.outer)
        }
    }

    /// Begins as many requested runs as the limits allow.
    ///
    /// A run that can never begin is dropped with a warning, for example if the worker no longer serves its pipeline.
    private mutating func beginWaiting() {
        // A worker without a durable store finishes what it owes before it stops.
        let isOpen = phase == .ready || phase == .draining && !configuration.isDurable
        guard isOpen, !isShort else { return }
        var isDone = false
        while !isDone {
            isDone = true
            for record in requested.next(at: step.moment) {
                guard ledger.count < configuration.limits.requests else { return }
                if begin(record) { isDone = false }
            }
        }
    }

    /// Begins a requested run if the limits allow, or drops it if it can never begin.
    ///
    /// - Returns: Whether the run is no longer requested.
    private mutating func begin(_ record: RequestedRunRecord) -> Bool {
        if runs.queues.isFull(record.pipeline) { return false }
        let new = NewRun(record, seeds: record.seeds(for: runs.pipelines[record.pipeline]?.seeds ?? []))
        do throws(BusError) {
            let run = try make(new)
            ledger.admit(run.request, run.id)
            removeRequested(record)
            begin(run)
        } catch {
            if error.code == .busy { return false }
            removeRequested(record)
            let reason = "\(record.origin.cause.requester) requested this run, but it cannot begin: \(error.message)"
                .asReason
            step.emit(.warn(.run(record.run, record.pipeline, state: .failed, reason: reason)))
            let now = step.moment
            step.journal(.neverBegun(record, because: error.message.asReason, at: now))
            if case .event = record.origin.cause { eventRunFailed(record.run, of: record.pipeline, because: reason) }
        }
        return true
    }

    private mutating func removeRequested(_ record: RequestedRunRecord) {
        requested.remove(record)
        step.forget(.requested(record.run))
    }
}

// Events.
extension WorkerState {
    private mutating func take(_ report: Report) {
        switch report {
        case .occurred(let occurrence): request(for: occurrence)
        case .eventRunEnded(let pipeline, let run, let trouble?): eventRunFailed(run, of: pipeline, because: trouble)
        case .eventRunEnded(let pipeline, _, nil):
            if let last = requested.recovered(pipeline) {
                step.emit(.warn(.eventsRecovered(pipeline, failures: last.failures)))
            }
        case .eventRunCancelled(let pipeline, let run): requested.cancelled(run, of: pipeline)
        }
    }

    /// Adds a run that reports an event, or adds the event to a fold; does nothing if no event names a pipeline for it.
    private mutating func request(for occurrence: Occurrence) {
        let pipeline = occurrence.pipeline.flatMap { runs.pipelines[$0] }
        guard let target = requested.target(of: occurrence, eventsOf: pipeline) else { return }
        let run = requested.join(occurrence, for: target) ?? requestRun(for: occurrence, of: target)
        let entry = JournalEntry.requested(run, of: target, for: occurrence, at: step.moment)
        step.journal(entry, place: occurrence.place)
    }

    private mutating func requestRun(for occurrence: Occurrence, of target: Name) -> Name {
        let record = RequestedRunRecord(
            run: runs.takeID(),
            pipeline: target,
            origin: RunOrigin(.event(occurrence.event.rawValue), causers: occurrence.causers, isQuiet: true),
            seeds: requested.seeds(for: occurrence),
            unixMilliseconds: step.moment.unixMilliseconds,
            subjects: [occurrence.subject]
        )
        let (isKept, foldBegins) = requested.add(eventRun: record, at: step.moment)
        if isKept { step.keep(.requested(record)) } else if let foldBegins { step.wake(.fold, at: foldBegins) }
        return record.run
    }

    /// Warns when a pipeline's runs for events begin to fail.
    private mutating func eventRunFailed(_ run: Name, of pipeline: Name, because reason: String) {
        if requested.failed(run, of: pipeline, because: reason, at: step.moment) {
            step.emit(.warn(.eventsFail(pipeline, run: run, reason: reason)))
        }
    }
}

// Monitors.
extension WorkerState {
    /// Handles the request for a run by a monitor's action; the action waits for the answer.
    mutating func take(_ request: RequestByMonitor) {
        let name = monitors[request.monitor].name
        // The unfinished run may hold a signal that the next run would need. That is no reason to refuse the request.
        if requested.awaits(request, of: name, isUnfinished: { [runs] in runs[$0] != nil }) {
            return step.emit(.resume(request.waiter, .proceed))
        }
        if let error = objection(to: request, of: name) { return step.emit(.resume(request.waiter, .refused(error))) }
        let record = RequestedRunRecord(request, of: name, run: runs.takeID(), at: step.moment)
        requested.add(record)
        step.keep(.requested(record))
        let now = step.moment
        step.journal(.requested(record.run, by: request, of: name, at: now))
        step.emit(.resume(request.waiter, .requested(record.run)))
    }

    /// Why the run that an action of a monitor requests can never begin; nil if it can, now or later.
    private mutating func objection(to request: RequestByMonitor, of monitor: Name) -> BusError? {
        let record = RequestedRunRecord(request, of: monitor, run: runs.numbers.next, at: step.moment)
        do throws(BusError) {
            _ = try make(NewRun(record, seeds: record.seeds), evenIfShort: true)
            return nil
        } catch {
            return error.code == .busy ? nil : error
        }
    }
}

extension RequestedRunRecord {
    /// The run that an action of a monitor requests.
    fileprivate init(_ request: RequestByMonitor, of monitor: Name, run: Name, at now: Moment) {
        self.init(
            run: run,
            pipeline: request.order.pipeline,
            origin: RunOrigin(.monitor(monitor, action: request.action), causers: request.causers),
            seeds: request.order.seeds,
            unixMilliseconds: now.unixMilliseconds
        )
    }
}

extension RunOrigin.Cause {
    /// What requested the run, as the subject of a sentence.
    fileprivate var requester: String {
        switch self {
        case .action(let run, let action): "The action \"\(action)\" of \(run)"
        case .monitor(let monitor, let action): "The action \"\(action)\" of the monitor \"\(monitor)\""
        case .event(let event): "The event `\(event)`"
        }
    }
}

extension JournalEntry {
    /// Makes the journal entry of a run whose action requested another run.
    fileprivate static func requested(_ inner: Name, by request: RequestByRun, at now: Moment) -> JournalEntry {
        JournalEntry(
            at: now.unixMilliseconds,
            "requested",
            run: request.outer,
            details: [
                "action": .string(request.action), "pipeline": .string(request.order.pipeline.text),
                "requested": .string(inner.text),
            ]
        )
    }

    /// Makes the journal entry of a requested run that can never begin.
    fileprivate static func neverBegun(_ record: RequestedRunRecord, because reason: String, at now: Moment)
        -> JournalEntry
    {
        JournalEntry(
            at: now.unixMilliseconds,
            "never_begun",
            run: record.run,
            details: ["pipeline": .string(record.pipeline.text), "reason": .string(reason)]
        )
    }

    /// Makes the journal entry of a run, gate or monitor for which an event requested a run.
    fileprivate static func requested(_ run: Name, of pipeline: Name, for occurrence: Occurrence, at now: Moment)
        -> JournalEntry
    {
        JournalEntry(
            at: now.unixMilliseconds,
            "requested",
            run: occurrence.run,
            signal: occurrence.gate,
            monitor: occurrence.monitor,
            details: [
                "for": .string(occurrence.event.rawValue), "pipeline": .string(pipeline.text),
                "requested": .string(run.text),
            ]
        )
    }

    /// Makes the journal entry of a monitor whose action requested a run.
    fileprivate static func requested(_ run: Name, by request: RequestByMonitor, of monitor: Name, at now: Moment)
        -> JournalEntry
    {
        JournalEntry(
            at: now.unixMilliseconds,
            "requested",
            monitor: monitor,
            details: [
                "action": .string(request.action), "pipeline": .string(request.order.pipeline.text),
                "requested": .string(run.text),
            ]
        )
    }
}

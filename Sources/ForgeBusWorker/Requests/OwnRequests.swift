import ForgeBusProtocol
import ForgeBusStore

/// Begins the runs that the worker requests itself: for actions of other runs, for monitors and for events.
extension RequestBook {
    /// Begins the run that an action of another run requests, or finds the run that the same attempt requested before.
    mutating func begin(
        _ request: InnerRequest,
        _ terms: Circumstances,
        _ runs: inout RunBook,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        guard let outer = runs[request.outer] else { return }
        let new = NewRun(request, of: outer)
        let key = new.request ?? .worker(outer.id)
        do throws(BusError) {
            switch ledger.rule(on: key, new.fingerprint) {
            case .known(.run(let inner)): runs.requested(inner, by: request, &signals, &out)
            case .known, .conflict: throw Errors.conflict(key.id, nil)
            case .full: throw Errors.ledgerIsFull
            case .new:
                if let depth = new.origin?.depth, depth > RequestAction.maximumDepth {
                    throw Errors.chainTooLong(most: RequestAction.maximumDepth)
                }
                let (access, now) = (terms.access, out.moment)
                let inner = try runs.make(new, isShort: terms.isShort, signals, access, at: now)
                out.journal(.requested(inner.id, by: request, at: now), place: outer.course.actions.count)
                admit(key, inner.id)
                runs.begin(inner, &signals, &out)
                runs.requested(inner.id, by: request, &signals, &out)
            }
        } catch {
            runs.refused(error, to: request, &signals, &out)
        }
    }

    /// Begins as many owed runs as the limits allow.
    ///
    /// A run that can never begin is dropped with a warning, for example if the worker no longer serves its pipeline.
    mutating func beginOwed(
        _ owed: inout OwedBook,
        _ terms: Circumstances,
        _ runs: inout RunBook,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        // A worker without a durable store finishes what it owes before it stops.
        let isOpen = terms.phase == .ready || terms.phase == .draining && !configuration.isDurable
        guard isOpen, !terms.isShort else { return }
        var isDone = false
        while !isDone {
            isDone = true
            for record in owed.next(at: out.moment) {
                guard ledger.count < configuration.limits.requests else { return }
                if begin(record, &owed, terms, &runs, &signals, &out) { isDone = false }
            }
        }
    }

    /// Begins an owed run if the limits allow, or drops it if it can never begin.
    ///
    /// - Returns: Whether the run is no longer owed.
    private mutating func begin(
        _ record: OwedRecord,
        _ owed: inout OwedBook,
        _ terms: Circumstances,
        _ runs: inout RunBook,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) -> Bool {
        if runs.queues.isFull(record.pipeline) { return false }
        let new = NewRun(record, seeds: record.seeds(for: runs.pipelines[record.pipeline]?.seeds ?? []))
        do throws(BusError) {
            let run = try runs.make(new, isShort: terms.isShort, signals, terms.access, at: out.moment)
            admit(run.request, run.id)
            owed.remove(record, &out)
            runs.begin(run, &signals, &out)
        } catch {
            if error.code == .busy { return false }
            owed.remove(record, &out)
            let reason = "\(record.origin.cause.requester) requested this run, but it cannot begin: \(error.message)"
                .asReason
            out.emit(.warn(.run(record.run, record.pipeline, state: .failed, reason: reason)))
            let now = out.moment
            out.journal(.neverBegun(record, because: error.message.asReason, at: now))
            if case .event = record.origin.cause {
                owed.ended(record.run, of: record.pipeline, trouble: reason, &out)
            }
        }
        return true
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
    fileprivate static func requested(_ inner: Name, by request: InnerRequest, at now: Moment) -> JournalEntry {
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
    fileprivate static func neverBegun(_ record: OwedRecord, because reason: String, at now: Moment) -> JournalEntry {
        JournalEntry(
            at: now.unixMilliseconds,
            "never_begun",
            run: record.run,
            details: ["pipeline": .string(record.pipeline.text), "reason": .string(reason)]
        )
    }

    /// Makes the journal entry of a run, gate or monitor for which an event requested a run.
    static func requested(
        _ run: Name,
        of pipeline: Name,
        for occurrence: Occurrence,
        at now: Moment
    ) -> JournalEntry {
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
    static func requested(_ run: Name, by request: RemedyRequest, of monitor: Name, at now: Moment) -> JournalEntry {
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

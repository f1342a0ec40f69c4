import ForgeBusProtocol
import ForgeBusStore

extension Outbox {
    /// Tells the audit of something that was done, and writes it down.
    ///
    /// Where the record does not name the run that it is about, `run` does; `place` tells how many of its actions had ended.
    mutating func audit(
        _ record: AuditRecord,
        key: @autoclosure () -> String? = nil,
        run: RunID? = nil,
        place: Int? = nil
    ) {
        emit(.audit(record))
        guard keepsRecords else { return }
        var entry = JournalEntry(record, at: moment.unixMilliseconds)
        if let run { entry.run = run }
        entry.details["key"] = key().map { .string($0) }
        journal(entry, place: place)
    }

    /// Tells the audit of something that is done once and answered with OK.
    mutating func audit(_ report: StateReport, _ received: Received, place: Int?) {
        guard let record = AuditRecord(report, received) else { return }
        audit(record, key: received.principal.keyText, place: place)
    }

    /// Tells the audit that a grant was missing, if that is why a request was refused.
    ///
    /// Not journalled: a principal that may do nothing writes nothing.
    mutating func audit(_ error: BusError, _ received: Received) {
        guard error.code == .forbidden, let grant = error.details["grant"]?.string else { return }
        emit(.audit(AuditRecord(.refused(grant: grant), received)))
    }
}

extension AuditRecord {
    init(_ event: AuditRecord.Event, _ received: Received) {
        self.init(event, principal: received.principal.name, request: received.request.id)
    }

    /// What was done by a request that is done once and answered with OK; nil where the audit is not told of it.
    init?(_ report: StateReport, _ received: Received) {
        switch received.request.command {
        case .cancel(let request): self.init(.cancelled(request.run, state: report.state.rawValue), received)
        case .redrive(let request): self.init(.redriven(request.run, state: report.state.rawValue), received)
        case .mode(let request): self.init(.modeSet(monitors: request.monitors, screen: request.screen), received)
        case .admin(let request): self.init(.administered(verb: request.verb), received)
        case .hello, .notify, .run, .attach, .decide, .show, .list, .watch, .unwatch, .ping: return nil
        }
    }

    /// The run it is about.
    var run: RunID? {
        switch event {
        case .cancelled(let run, _), .redriven(let run, _): run
        case .decided, .refused, .keyRefused, .keyUnknown, .modeSet, .administered, .accessReplaced, .accessKept: nil
        }
    }
}

extension JournalEntry {
    /// What the audit is told, as the journal keeps it.
    init(_ record: AuditRecord, at unixMilliseconds: Int64) {
        self.init(
            at: unixMilliseconds,
            record.word,
            principal: record.principal,
            request: record.request,
            details: record.journalDetails
        )
        run = record.run
        if case .decided(let signal, _, _) = record.event { self.signal = signal }
    }
}

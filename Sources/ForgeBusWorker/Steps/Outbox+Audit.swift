import ForgeBusProtocol
import ForgeBusStore

extension Outbox {
    /// Passes a record to the audit and to the journal.
    ///
    /// `run` is the run it is about, if the record does not name it; `place` is how many of its actions had ended.
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

    /// Audits a request that takes effect once and gets the answer OK.
    mutating func audit(_ report: StateReport, _ received: Received, place: Int?) {
        guard let record = AuditRecord(report, received) else { return }
        audit(record, key: received.principal.keyText, place: place)
    }

    /// Audits a refusal, if its cause is a missing grant.
    ///
    /// Not in the journal: a principal without rights must not fill it.
    mutating func audit(_ error: BusError, _ received: Received) {
        guard error.code == .forbidden, let grant = error.details["grant"]?.string else { return }
        emit(.audit(AuditRecord(.refused(grant: grant), received)))
    }
}

extension AuditRecord {
    init(_ event: AuditRecord.Event, _ received: Received) {
        self.init(event, principal: received.principal.name, request: received.request.id)
    }

    /// The record of a request that takes effect once and gets the answer OK; nil if it needs no record.
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
    /// The journal's entry for an audit record.
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

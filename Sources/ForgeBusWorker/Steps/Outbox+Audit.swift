import ForgeBusProtocol
import ForgeBusStore

extension Outbox {
    /// Passes a record to the audit and to the journal.
    ///
    /// `run` is the run it is about, if the record does not name it; `place` is how many of its actions had ended.
    mutating func audit(
        _ record: AuditRecord,
        key: @autoclosure () -> String? = nil,
        run: Name? = nil,
        place: Int? = nil
    ) {
        emit(.audit(record))
        guard keepsRecords else { return }
        var entry = JournalEntry(record, at: moment.unixMilliseconds)
        if let run { entry.run = run }
        entry.details["key"] = key().map { .string($0) }
        journal(entry, place: place)
    }

    /// Audits the effect of a request.
    mutating func audit(_ event: AuditRecord.Event, _ received: Received, place: Int? = nil) {
        audit(AuditRecord(event, received), key: received.principal.keyText, place: place)
    }

    /// Writes what a request did to one of many runs into the journal; the audit gets one record for all of them.
    mutating func journal(_ event: AuditRecord.Event, _ received: Received, place: Int?) {
        let now = moment.unixMilliseconds
        journal(JournalEntry(AuditRecord(event, received), at: now), place: place)
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

    /// The run it is about.
    var run: Name? {
        switch event {
        case .cancelled(let run, _), .redriven(let run, _): run
        case .decided, .withdrawn, .refused, .keyRefused, .keyUnknown, .cancelledMany, .redrivenMany, .modeSet,
            .administered, .accessReplaced, .accessKept:
            nil
        }
    }

    /// The signal it is about.
    var signal: Name? {
        switch event {
        case .decided(let signal, _, _), .withdrawn(let signal, _): signal
        case .refused, .keyRefused, .keyUnknown, .cancelled, .redriven, .cancelledMany, .redrivenMany, .modeSet,
            .administered, .accessReplaced, .accessKept:
            nil
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
        signal = record.signal
    }
}

import ForgeBusProtocol
import ForgeBusStore

extension Step {
    /// Passes a record to the ``WorkerConfiguration/audit`` sink, and writes it into the store's audit and the journal.
    ///
    /// - Parameters:
    ///   - record: The act of a principal, or its refusal.
    ///   - key: The key that the principal proved; nil without keys.
    ///   - run: The run that the record is about, if the record does not name the run itself.
    ///   - place: How many of the run's actions had ended; nil outside runs.
    ///   - said: The content that the principal sent. Only the journal gets the content; the audit, whose entries are
    ///     kept for long, does not.
    mutating func audit(
        _ record: AuditRecord,
        key: @autoclosure () -> String? = nil,
        run: Name? = nil,
        place: Int? = nil,
        said: @autoclosure () -> JSONObject = [:]
    ) {
        emit(.audit(record))
        if keepsRecords { write(record, key: key(), run: run ?? record.run, place: place, said: said()) }
    }

    /// Writes a record into the store's audit and into the journal.
    private mutating func write(_ record: AuditRecord, key: String?, run: Name?, place: Int?, said: JSONObject = [:]) {
        var facts = record.facts
        facts["via"] = record.via.map { .string($0) }
        chain(AuditEntry(record, key: key, allowedBy: allowedBy, run: run, facts, at: moment.unixMilliseconds))
        var entry = JournalEntry(
            at: moment.unixMilliseconds,
            record.word,
            run: run,
            signal: record.signal,
            monitor: record.monitor,
            principal: record.principal,
            request: record.request,
            details: facts
        )
        for member in said.entries { entry.details[member.key] = member.value }
        entry.details["key"] = key.map { .string($0) }
        journal(entry, place: place)
    }

    /// Audits the effect of a request, and writes it into the journal.
    mutating func audit(_ event: AuditRecord.Event, _ received: Received, place: Int? = nil) {
        audit(AuditRecord(event, received), key: received.principal.keyText, place: place, said: received.key.label)
    }

    /// Writes into the store's audit and the journal what a request for many runs did to one of these runs.
    ///
    /// The ``WorkerConfiguration/audit`` sink gets only one record for all runs together.
    mutating func write(_ event: AuditRecord.Event, _ received: Received, place: Int?) {
        guard keepsRecords else { return }
        let record = AuditRecord(event, received)
        write(record, key: received.principal.keyText, run: record.run, place: place, said: received.key.label)
    }

    /// Audits a refusal, if its cause is a missing grant.
    ///
    /// The journal does not get the refusal, and the store's audit gets only counts, once a minute: a principal without
    /// rights must not fill the journal and the audit.
    mutating func audit(_ error: BusError, _ received: Received) {
        guard error.code == .forbidden, let grant = error.details["grant"]?.string else { return }
        audit(refusal: AuditRecord(.refused(grant: grant), received), key: received.principal.keyText)
    }

    /// Audits the refusal of a request or a publication.
    mutating func audit(refusal record: AuditRecord, key: String?) {
        emit(.audit(record))
        if keepsRecords, case .refused(let grant) = record.event {
            // The refusal is counted under the sender, because the sender can name any principal in `as`.
            count(refusal: grant, of: record.via ?? record.principal ?? "", key: key)
        }
    }

    /// Writes the counts of refusals into the store's audit: only those of ended minutes, or, if `all` is true, all.
    mutating func auditRefusals(all: Bool = false) {
        for refusals in takeRefusals(all: all) { chain(AuditEntry(refusals)) }
    }

    private mutating func chain(_ entry: AuditEntry) {
        audit(entry, horizon: moment.unixMilliseconds - auditRetention.milliseconds)
    }
}

extension AuditRecord {
    init(_ event: AuditRecord.Event, _ received: Received) {
        let principal = received.principal
        self.init(event, principal: principal.name, via: principal.via, request: received.request.id)
    }
}

extension AuditEntry {
    /// Makes the entry for a record with these facts.
    fileprivate init(
        _ record: AuditRecord,
        key: String?,
        allowedBy: String?,
        run: Name?,
        _ facts: JSONObject,
        at unixMilliseconds: Int64
    ) {
        self.init(
            at: unixMilliseconds,
            record.word,
            principal: record.principal,
            key: key,
            request: record.request,
            allowedBy: allowedBy,
            facts: facts
        )
        if let signal = record.signal { self.facts["signal"] = .string(signal.text) }
        if let run { self.facts["run"] = .string(run.text) }
    }

    /// Makes the entry for the refusals of a minute.
    fileprivate init(_ refusals: Refusals.Minute) {
        self.init(
            at: refusals.first.unixMilliseconds,
            "refused",
            principal: refusals.principal,
            key: refusals.key,
            facts: [
                "right": .string(refusals.right), "first": .string(refusals.grant),
                "count": .integer(Int64(refusals.count)),
            ]
        )
    }
}

import ForgeBusProtocol
import ForgeBusStore

/// The pauses of pipelines and monitors: who paused what, until when, and why.
///
/// A pause is also kept for a pipeline or monitor that the worker does not serve now, because a later worker may serve
/// it again.
struct PauseBook {
    private struct Pause {
        let record: PauseRecord
        /// When the pause ends by itself; nil if it does not.
        let end: Moment?
    }

    private var pauses: [PauseSubject: Pause] = [:]

    /// The pause of a pipeline or monitor; nil if it is not paused.
    subscript(subject: PauseSubject) -> PauseRecord? { pauses.isEmpty ? nil : pauses[subject]?.record }

    /// All pauses: those of monitors first, then those of pipelines, each in the order of their names.
    var records: [PauseRecord] {
        pauses.values.map(\.record).sorted { a, b in
            (a.subject.kind.rawValue, a.subject.name) < (b.subject.kind.rawValue, b.subject.name)
        }
    }

    /// Whether the pause of the pipeline or monitor ends at `moment`.
    func ends(_ subject: PauseSubject, at moment: Moment) -> Bool { pauses[subject]?.end == moment }

    /// Begins a pause of a pipeline or monitor; replaces its earlier pause.
    ///
    /// The pause ends after `time`; if `time` is nil, it lasts until ``remove(_:_:)``.
    mutating func add(_ record: PauseRecord, for time: Duration?, _ out: inout Outbox) {
        let end = time.map { out.moment.advanced(by: $0) }
        pauses[record.subject] = Pause(record: record, end: end)
        out.keep(.pause(record))
        if let end { out.wake(.pauseEnd(record.subject, at: end), at: end) }
    }

    /// Ends the pause of a pipeline or monitor; does nothing if it is not paused.
    mutating func remove(_ subject: PauseSubject, _ out: inout Outbox) {
        guard let pause = pauses.removeValue(forKey: subject) else { return }
        out.forget(StoreRecord.pause(pause.record).key)
    }

    /// Ends a pause whose time is over, and reports that; does nothing if the time is not over, or there is no pause.
    ///
    /// - Returns: Whether the pause has ended.
    mutating func expire(_ subject: PauseSubject, _ out: inout Outbox) -> Bool {
        guard let pause = pauses[subject], let end = pause.end, end <= out.moment else { return false }
        remove(subject, &out)
        out.emit(.warn(.pauseEnded(pause.record)))
        if subject.kind == .monitor {
            let time = out.moment.unixMilliseconds
            out.journal(JournalEntry(at: time, "pause_ended", monitor: subject.name))
        }
        return true
    }

    /// Restores the pauses of an earlier worker, without those whose time is over.
    mutating func restore(_ records: [PauseRecord], _ out: inout Outbox) {
        for record in records {
            let end = record.until.map { out.moment.at(unix: $0, atMost: WireLimits.timeToLive) }
            pauses[record.subject] = Pause(record: record, end: end)
            if let end, !expire(record.subject, &out) { out.wake(.pauseEnd(record.subject, at: end), at: end) }
        }
    }
}

extension PauseItem {
    /// The member `paused` of a paused pipeline or monitor in answers.
    init(_ record: PauseRecord) {
        self.init(
            by: record.principal,
            via: record.via,
            since: record.since,
            until: record.until,
            reason: record.reason.isEmpty ? nil : record.reason
        )
    }
}

extension PauseRecord {
    /// The pause, with the pipeline or monitor that is paused, as the description of the worker lists it.
    var named: JSONObject {
        var object: JSONObject = ["subject": .string(subject.text)]
        object.add(PauseItem(self).json)
        return object
    }
}

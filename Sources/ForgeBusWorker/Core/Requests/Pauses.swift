import ForgeBusProtocol
import ForgeBusStore

/// The pauses of pipelines and monitors: who paused what, until when, and why.
///
/// A pause is also kept for a pipeline or monitor that the worker does not serve now, because a later worker may serve
/// it again.
struct Pauses {
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

    /// Adds a pause, which replaces an earlier one; `end` is nil if it does not end by itself.
    mutating func add(_ record: PauseRecord, until end: Moment?) {
        pauses[record.subject] = Pause(record: record, end: end)
    }

    /// Removes and returns a pause; nil if there is none.
    mutating func remove(_ subject: PauseSubject) -> PauseRecord? { pauses.removeValue(forKey: subject)?.record }

    /// Removes and returns a pause whose time is over; nil if there is none.
    mutating func expire(_ subject: PauseSubject, at now: Moment) -> PauseRecord? {
        guard let end = pauses[subject]?.end, end <= now else { return nil }
        return remove(subject)
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
    var item: WorkerPauseItem {
        var item = WorkerPauseItem()
        item.subject = subject.text
        item.json.add(PauseItem(self).json)
        return item
    }
}

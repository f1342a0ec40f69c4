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

extension WorkerState {
    /// Begins a pause of a pipeline or monitor; replaces its earlier pause.
    ///
    /// The pause ends after `time`; if `time` is nil, it lasts until somebody resumes the pipeline or monitor.
    mutating func pause(_ record: PauseRecord, for time: Duration?) {
        let end = time.map { step.moment.advanced(by: $0) }
        pauses.add(record, until: end)
        step.keep(.pause(record))
        if let end { step.wake(.pauseEnd(record.subject, at: end), at: end) }
        setPaused(true, record.subject)
    }

    /// Restores the pauses of an earlier worker, without those whose time is over.
    mutating func restore(_ records: [PauseRecord]) {
        for record in records {
            let end = record.until.map { step.moment.at(unix: $0, atMost: WireLimits.timeToLive) }
            pauses.add(record, until: end)
            if let end, !expirePause(of: record.subject) { step.wake(.pauseEnd(record.subject, at: end), at: end) }
        }
        for pause in pauses.records { setPaused(true, pause.subject) }
    }

    /// Ends a pause at a person's request; does nothing if the pipeline or monitor is not paused.
    mutating func resume(_ subject: PauseSubject) {
        if let record = pauses.remove(subject) { step.forget(StoreRecord.pause(record).key) }
        setPaused(false, subject)
    }

    /// Ends a pause if its time is over.
    mutating func endPause(of subject: PauseSubject) { if expirePause(of: subject) { setPaused(false, subject) } }

    /// Removes a pause whose time is over, and reports that.
    ///
    /// - Returns: Whether the pause was removed; false if the time is not over, or there is no pause.
    private mutating func expirePause(of subject: PauseSubject) -> Bool {
        guard let record = pauses.expire(subject, at: step.moment) else { return false }
        step.forget(StoreRecord.pause(record).key)
        step.emit(.warn(.pauseEnded(record)))
        if subject.kind == .monitor {
            let now = step.moment.unixMilliseconds
            step.journal(JournalEntry(at: now, "pause_ended", monitor: subject.name))
        }
        return true
    }

    /// Keeps a pipeline's runs from getting slots, or a monitor from beginning cycles, or allows it again.
    private mutating func setPaused(_ isPaused: Bool, _ subject: PauseSubject) {
        switch subject.kind {
        case .pipeline: runs.setPaused(isPaused, subject.name)
        case .monitor:
            guard let monitor = monitors.lanes.firstIndex(where: { $0.name == subject.name }) else { return }
            step.emit(.pause(isPaused, monitor: monitor))
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

import ForgeBusProtocol

/// What a worker's word about a monitor means.
extension FleetReport.Line {
    /// Judges what EVALUATED says: the cycle began after the worker took the notification, and so after the change.
    init(_ worker: Name, _ part: Evaluation.Monitor) {
        let name = part.monitor.text
        switch part.state {
        // Without a cycle, nothing was evaluated.
        case .ran where part.cycle == nil: self.init(worker, name, .notYet, because: Errors.nothingEvaluated)
        case .ran: self.init(worker, name, .converged)
        case .failed: self.init(worker, name, .failed, because: Errors.failed(part.actions))
        case .overdue: self.init(worker, name, .overdue, because: Errors.overdue)
        case .excluded: self.init(worker, name, .excluded, because: Errors.excluded)
        }
    }

    /// Judges an item of a LIST that was first sent at `sent`, or later.
    ///
    /// The cycle should cover the change at `change`, if one was named. A worker that does not tell its monitors' latest
    /// cycles is too old.
    init(
        _ worker: Name,
        _ item: MonitorItem,
        sent: ContinuousClock.Instant,
        since change: ContinuousClock.Instant?,
        tellsLast: Bool
    ) {
        self.init(worker, item.name.text, .notYet)
        (beganAgo, pause) = (item.last?.beganAgo, item.pause)
        if let failure = item.failure {
            (failures, failedUnixMilliseconds) = (failure.count, failure.unixMilliseconds)
            (state, reason) = (item.last?.state == .overdue ? .overdue : .failed, failure.reason)
        } else if let last = item.last, last.state == .ran, Self.covers(last, sent, change) {
            state = change == nil ? .ok : .converged
        } else {
            reason = Self.whyNotSince(item.last, sent, change)
            if !tellsLast { (state, reason) = (.tooOld, Errors.tooOld) }
        }
        if state == .converged { return }
        if let pause {
            (state, reason) = (.waived, Errors.paused(pause, reason))
        } else if item.state == .excluded, item.failure == nil {
            (state, reason) = (.excluded, Errors.excluded)
        }
    }

    /// Whether a cycle has begun after the change, if one was named.
    static func covers(
        _ last: LastCycle,
        _ sent: ContinuousClock.Instant,
        _ change: ContinuousClock.Instant?
    ) -> Bool {
        change.map { Coverage.covers(age: last.beganAgo, sinceChange: sent - $0) } ?? true
    }

    private static func whyNotSince(
        _ last: LastCycle?,
        _ sent: ContinuousClock.Instant,
        _ change: ContinuousClock.Instant?
    ) -> String {
        guard let last else { return Errors.neverEvaluated }
        let isNear = change.map { Coverage.mayCover(age: last.beganAgo, sinceChange: sent - $0) } ?? false
        return isNear ? Errors.uncertain : Errors.notSince
    }

    /// Weighs what LIST says, of which this is the judgement, against what EVALUATED said just before.
    mutating func weigh(_ receipt: FleetReport.Line) {
        switch state {
        // Newer than the receipt, or as exact.
        case .failed, .overdue, .converged: break
        case .waived, .excluded: if receipt.state == .converged || receipt.state == .failed { take(receipt) }
        default: take(receipt)
        }
    }

    private mutating func take(_ receipt: FleetReport.Line) { (state, reason) = (receipt.state, receipt.reason) }
}

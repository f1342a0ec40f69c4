import ForgeBusProtocol

/// The next cycle of a monitor: its causes, and when it may begin.
struct OwedCycle {
    /// The EVALUATED answers that get the cycle's outcome when the cycle ends.
    var told: [EvaluationID] = []
    private(set) var causes = MonitorCauses()
    /// When the first and the last notification for this cycle came; nil if none came.
    private var notifications: (first: Moment, last: Moment)?
    /// When the cycle may begin as the repetition of a failed or overdue cycle.
    private var retry: Moment?
    /// When the cycle may begin as the evaluation at the worker's start or after a loss of publications.
    private var start: Moment?
    private var isHurried = false

    /// Whether a notification requires the cycle.
    var isNotified: Bool { notifications != nil }

    /// Adds a notification that the cycle must cover.
    mutating func add(_ notice: Notice, at now: Moment) {
        causes.add(notice)
        notifications = (notifications?.first ?? now, now)
    }

    /// Adds the notifications that an earlier worker left.
    mutating func add(_ left: MonitorCauses) { causes.add(left) }

    /// Makes this cycle the repetition of a failed one: it may begin at `moment`, and must cover the same causes again.
    mutating func repeats(_ failed: MonitorCauses, from moment: Moment) {
        var all = failed
        all.add(causes)
        causes = all
        retry = moment
    }

    /// Requires an evaluation as at the worker's start, at this moment or later.
    mutating func evaluatesStart(from moment: Moment) { start = moment }

    /// Ends the debounce, and drops all reasons for the cycle except notifications.
    mutating func hurry() {
        isHurried = true
        retry = nil
        start = nil
    }

    /// When the cycle may begin; nil if there is no reason for a cycle.
    ///
    /// Each reason has a moment of its own. The earliest moment counts, because the cycle serves all reasons. A
    /// notification does not wait for the backoff after a failure, because the change may remove the cause of the
    /// failure.
    func due(_ timing: CycleTiming, after lastStart: Moment?) -> Moment? {
        let notified = notifications.map { isHurried ? $0.last : timing.silence(from: $0.first, last: $0.last) }
        guard let reason = Moment.earliest(notified, .earliest(retry, start)) else { return nil }
        guard let gap = lastStart?.advanced(by: timing.minimumGap) else { return reason }
        return max(reason, gap)
    }
}

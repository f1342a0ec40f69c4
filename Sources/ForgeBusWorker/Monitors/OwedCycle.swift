import ForgeBusProtocol

/// The next cycle of a monitor: its causes, and when it may begin.
struct OwedCycle {
    /// The evaluations to answer when it ends.
    var told: [EvaluationID] = []
    private(set) var causes = MonitorCauses()
    /// The first and the last notification that it covers.
    private var notifications: (first: Moment, last: Moment)?
    /// When the cycle may begin as the repetition of a failed one.
    private var retry: Moment?
    /// When the cycle may begin as the evaluation at the start.
    private var start: Moment?
    private var isHurried = false

    /// Whether a notification requires the cycle.
    var isNotified: Bool { notifications != nil }

    /// Adds a notification to cover.
    mutating func add(_ notice: Notice, at now: Moment) {
        causes.add(notice)
        notifications = (notifications?.first ?? now, now)
    }

    /// Adds the notifications that an earlier worker left.
    mutating func add(_ left: MonitorCauses) { causes.add(left) }

    /// Repeats a failed cycle from `moment` on, and covers its causes again.
    mutating func repeats(_ failed: MonitorCauses, from moment: Moment) {
        var all = failed
        all.add(causes)
        causes = all
        retry = moment
    }

    /// Evaluates at the worker's start, from this moment on.
    mutating func evaluatesStart(from moment: Moment) { start = moment }

    /// Stops waiting for silence, and drops all reasons but notifications.
    mutating func hurry() {
        isHurried = true
        retry = nil
        start = nil
    }

    /// When the cycle may begin; nil if none is due.
    ///
    /// Each reason has a moment of its own, and the earliest counts, because the cycle serves them all. A notification
    /// does not wait for the backoff of an earlier failure, because it may bring what was missing.
    func due(_ timing: CycleTiming, after lastStart: Moment?) -> Moment? {
        let notified = notifications.map { isHurried ? $0.last : timing.silence(from: $0.first, last: $0.last) }
        guard let reason = Moment.earliest(notified, .earliest(retry, start)) else { return nil }
        guard let gap = lastStart?.advanced(by: timing.minimumGap) else { return reason }
        return max(reason, gap)
    }
}

import ForgeBusProtocol

/// What the next cycle of a monitor will cover, and when it may begin.
struct OwedCycle {
    /// Who is told when it is over.
    var told: [EvaluationID] = []
    private(set) var causes = MonitorCauses()
    /// The first and the last notification that it covers.
    private var notifications: (first: Moment, last: Moment)?
    /// From when on it repeats one that failed.
    private var retry: Moment?
    /// From when on it is the evaluation at the start.
    private var start: Moment?
    private var isHurried = false

    /// Whether a notification asks for it.
    var isNotified: Bool { notifications != nil }

    /// A notification is to be covered.
    mutating func add(_ notice: Notice, at now: Moment) {
        causes.add(notice)
        notifications = (notifications?.first ?? now, now)
    }

    /// An earlier worker left these to be covered.
    mutating func add(_ left: MonitorCauses) { causes.add(left) }

    /// It is owed for a cycle that failed, and covers what that one covered.
    mutating func repeats(_ failed: MonitorCauses, from moment: Moment) {
        var all = failed
        all.add(causes)
        causes = all
        retry = moment
    }

    /// It is owed from this moment on because the worker starts.
    mutating func evaluatesStart(from moment: Moment) { start = moment }

    /// It waits for silence no longer, and is owed for notifications only.
    mutating func hurry() {
        isHurried = true
        retry = nil
        start = nil
    }

    /// When it may begin; nil if it is not owed.
    ///
    /// Each reason has a moment of its own, and the earliest counts, because the cycle serves them all: a notification
    /// does not wait out the backoff of what failed before it. Something has changed, and may be what was missing.
    func due(_ timing: CycleTiming, after lastStart: Moment?) -> Moment? {
        let notified = notifications.map { isHurried ? $0.last : timing.silence(from: $0.first, last: $0.last) }
        guard let reason = Moment.earliest(notified, .earliest(retry, start)) else { return nil }
        guard let gap = lastStart?.advanced(by: timing.minimumGap) else { return reason }
        return max(reason, gap)
    }
}

public import ForgeBusProtocol
public import ForgeOrchestrator

/// A monitor that a worker re-evaluates when a notification comes on one of its topics.
public struct HostedMonitor: Sendable {
    /// Its name in answers.
    public let name: Name
    /// The monitor to re-evaluate.
    public let orchestrator: MonitorOrchestrator
    /// The topics it follows.
    public let topics: [NamePattern]
    /// The least time between the starts of two cycles, so that a monitor that notifies itself cannot spin.
    public let minimumGap: Duration
    /// The silence that a cycle waits for; nil waits for none.
    public let debounce: Debounce?
    /// How long a cycle may take, from when the worker begins it.
    public let timeLimit: Duration

    /// How long a cycle waits for silence on the topics.
    public struct Debounce: Hashable, Sendable {
        /// How long no notification may come.
        public let quiet: Duration
        /// The longest wait after the first notification, even without silence; at least `quiet`.
        public let maximumWait: Duration

        /// Waits for `quiet`, for `maximumWait` at most.
        public init(quiet: Duration, maximumWait: Duration) {
            self.quiet = quiet
            self.maximumWait = maximumWait
        }
    }

    /// Re-evaluates `orchestrator` for each notification on one of `topics`.
    ///
    /// A notification causes a cycle that starts after it; those that arrive during a cycle share exactly one more. The
    /// worker also starts the monitor's interval, and evaluates the monitor once when it begins to serve. A worker that
    /// stops ends the interval and cancels a tick under way.
    ///
    /// - Conditions and actions can read why their cycle runs in ``MonitorCauses/current``.
    /// - When a cycle has taken `timeLimit`, its waiters get the answer `overdue` and its task is cancelled. The next
    ///   cycle begins only after it has returned.
    /// - When an action failed or the cycle was overdue, another cycle is due: after 1 s, then after twice as long for
    ///   each failure in a row, at most 5 min, each pause randomly shortened by up to a half. A notification does not
    ///   wait for that pause; a cycle without failures ends the repetitions.
    /// - While an excluded screen shows, owed cycles wait, and callers get the answer `excluded`.
    public init(
        _ name: Name,
        _ orchestrator: MonitorOrchestrator,
        topics: [NamePattern],
        minimumGap: Duration = .milliseconds(100),
        debounce: Debounce? = nil,
        timeLimit: Duration = .seconds(60)
    ) {
        self.name = name
        self.orchestrator = orchestrator
        self.topics = topics
        self.minimumGap = minimumGap
        self.debounce = debounce
        self.timeLimit = timeLimit
    }
}

extension HostedMonitor {
    /// The timing for its lane.
    var timing: CycleTiming { CycleTiming(minimumGap: minimumGap, debounce: debounce, timeLimit: timeLimit) }

    /// Why it cannot work as defined, or nil.
    var flaw: String? {
        if minimumGap < .zero { return "its minimum gap is negative" }
        if timeLimit <= .zero { return "its time limit is not longer than nothing" }
        guard let debounce else { return nil }
        if debounce.quiet < .zero { return "its debounce waits for a negative silence" }
        if debounce.maximumWait < debounce.quiet { return "its debounce waits less at most than for one silence" }
        return nil
    }
}

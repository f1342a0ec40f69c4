public import ForgeBusProtocol
public import ForgeOrchestrator

/// A monitor that a worker re-evaluates when a notification comes on one of its topics.
public struct HostedMonitor: Sendable {
    /// The monitor's name in requests and answers.
    public let name: Name
    /// The monitor to re-evaluate.
    public let orchestrator: MonitorOrchestrator
    /// The patterns of the topics that the monitor follows.
    public let topics: [NamePattern]
    /// The shortest time between the starts of two cycles, so that a monitor that notifies itself does not run all the
    /// time.
    public let minimumGap: Duration
    /// How long a cycle waits for silence on the topics; with nil, a cycle does not wait.
    public let debounce: Debounce?
    /// How long a cycle may take, counted from when the worker begins it.
    public let timeLimit: Duration

    /// How long a cycle waits for silence on the topics.
    public struct Debounce: Hashable, Sendable {
        /// How long the silence must last before a cycle begins.
        public let quiet: Duration
        /// The longest wait after the first notification, even without silence; at least `quiet`.
        public let maximumWait: Duration

        /// Waits until no notification has come for `quiet`, but at most `maximumWait` after the first one.
        public init(quiet: Duration, maximumWait: Duration) {
            self.quiet = quiet
            self.maximumWait = maximumWait
        }
    }

    /// Re-evaluates `orchestrator` for each notification on one of `topics`.
    ///
    /// A notification causes a cycle that starts after it; the notifications that arrive during a cycle share exactly
    /// one more cycle. The worker also evaluates the monitor once after the worker's start (see
    /// ``WorkerConfiguration/startJitter``), and from then on once per interval of the monitor. Do not call
    /// `start()` of a hosted monitor: the worker measures the interval itself, by its own clock, and does not call
    /// `reevaluate()`. An interval that ends while a cycle is running, an excluded screen is shown or the monitor is
    /// paused causes no cycle. `minimumGap` also applies to the cycles that the interval causes.
    ///
    /// - Conditions and actions can read why their cycle runs in ``MonitorCauses/current``.
    /// - When a cycle has taken `timeLimit`, callers that wait for it get the answer `overdue`, and the cycle's
    ///   task is cancelled. The next cycle begins only after this task has returned.
    /// - When an action failed or the cycle was overdue, the worker repeats the cycle after a pause. The first pause is
    ///   1 s. Each failure in a row doubles the pause, up to 5 min. Each pause is randomly shortened by up to a half. A
    ///   notification does not wait for the pause, nor does the end of an interval. A cycle without failures ends the
    ///   repetitions.
    /// - While an excluded screen is shown, cycles wait, and callers get the answer `excluded`.
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
    /// The timing of the monitor's cycles.
    var timing: CycleTiming {
        CycleTiming(
            minimumGap: minimumGap,
            debounce: debounce,
            timeLimit: timeLimit,
            interval: orchestrator.interval
        )
    }

    /// Why the monitor cannot work as defined, or nil.
    var flaw: String? {
        if minimumGap < .zero { return "its minimum gap is negative: \(minimumGap)" }
        if timeLimit <= .zero { return "its time limit is not positive: \(timeLimit)" }
        guard let debounce else { return nil }
        if debounce.quiet < .zero { return "the quiet time of its debounce is negative: \(debounce.quiet)" }
        if debounce.maximumWait < debounce.quiet {
            return Errors.debounceTooShort(debounce.maximumWait, quiet: debounce.quiet)
        }
        return nil
    }
}

public import ForgeBusProtocol
public import ForgeOrchestrator

/// A monitor that a worker re-evaluates when something is said on its topics.
public struct HostedMonitor: Sendable {
    /// The name answers use.
    public let name: Name
    /// What is re-evaluated.
    public let orchestrator: MonitorOrchestrator
    /// What it follows.
    public let topics: [NamePattern]
    /// The least time between the starts of two cycles, so that a monitor that notifies itself cannot spin.
    public let minimumGap: Duration
    /// For which silence a cycle waits; nil waits for none.
    public let debounce: Debounce?
    /// How long a cycle may take, from when the worker begins it.
    public let timeLimit: Duration

    /// A cycle waits until nothing was said for a while, but not for ever.
    public struct Debounce: Hashable, Sendable {
        /// How long nothing must be said.
        public let quiet: Duration
        /// How long after the first notification the cycle starts, whatever is said; at least `quiet`.
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
    /// worker also starts the monitor's interval, and evaluates it once when it begins to serve.
    ///
    /// - A cycle whose conditions and actions want to know why they are asked read ``MonitorCauses/current``.
    /// - When a cycle has taken `timeLimit`, whoever waits for it is told `overdue` and its task is cancelled. No other
    ///   begins before it has returned.
    /// - When an action failed, or the cycle was overdue, the monitor owes another cycle: after 1 s, twice as long after
    ///   each failure in a row, 5 min at most, each shortened by up to a half by chance. A notification meanwhile does
    ///   not wait for that; a cycle in which nothing failed ends it.
    /// - While a screen is excluded, what is owed waits, and whoever asks is answered `excluded`.
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
    /// What its lane has to know of it.
    var timing: CycleTiming { CycleTiming(minimumGap: minimumGap, debounce: debounce, timeLimit: timeLimit) }

    /// Why it cannot work as it is defined; nil if it can.
    var flaw: String? {
        if minimumGap < .zero { return "its minimum gap is negative" }
        if timeLimit <= .zero { return "its time limit is not longer than nothing" }
        guard let debounce else { return nil }
        if debounce.quiet < .zero { return "its debounce waits for a negative silence" }
        if debounce.maximumWait < debounce.quiet { return "its debounce waits less at most than for one silence" }
        return nil
    }
}

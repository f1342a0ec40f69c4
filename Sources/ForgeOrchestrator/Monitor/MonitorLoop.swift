import Logging

/// The loop that ticks for a monitor with an interval.
enum MonitorLoop {
    /// The permitted intervals.
    ///
    /// A shorter interval would leave no time for other work. The upper limit keeps the time of the next tick within
    /// the range of a clock.
    private static let intervals = Duration.milliseconds(1)...(.seconds(100 * 365.25 * 86_400))

    /// The wanted interval, limited to 1 ms through 100 years.
    static func interval(_ wanted: Duration) -> Duration {
        min(max(wanted, intervals.lowerBound), intervals.upperBound)
    }

    /// The interval of `seconds`, limited to 1 ms through 100 years.
    ///
    /// The result is nil for nil and for NaN; NaN also logs a warning.
    static func interval(ofSeconds seconds: Double?, _ logger: Logger) -> Duration? {
        guard let seconds else { return nil }
        guard !seconds.isNaN else {
            logger.warning(
                "the monitor's interval is not a number (NaN): cycles begin only when the program requests them"
            )
            return nil
        }
        // The number is limited before the conversion, because a `Duration` cannot hold every `Double`.
        return interval(.seconds(min(max(seconds, 0), intervals.upperBound / .seconds(1))))
    }

    /// Starts to tick; the first tick comes one interval from now.
    ///
    /// The loop holds a strong reference to the monitor only during a tick, so it does not keep the monitor alive.
    /// The loop is a task of its own, because it lives from `start()` to `stop()`.
    static func start(
        every interval: Duration,
        on clock: any Clock<Duration>,
        _ monitor: MonitorOrchestrator
    ) -> Task<Void, Never> {
        LiveObjects.loops.add()
        return Task { [weak monitor] in
            defer { LiveObjects.loops.remove() }
            await tick(every: interval, on: clock) { @MainActor [weak monitor] in
                // `stop()` may have been called on the main actor since the tick fell due.
                guard !Task.isCancelled, let monitor else { return }
                await monitor.reevaluate()
            }
        }
    }

    /// Ticks at multiples of the interval.
    ///
    /// Ticks that fall due while another tick is running are dropped.
    private static func tick<C: Clock<Duration>>(
        every interval: Duration,
        on clock: C,
        _ body: @MainActor () async -> Void
    ) async {
        var next = clock.now.advanced(by: interval)
        while (try? await clock.sleep(until: next, tolerance: nil)) != nil {
            await body()
            next = next.advanced(by: interval)
            let delay = next.duration(to: clock.now)
            if delay >= .zero { next = next.advanced(by: interval * (Int(delay / interval) + 1)) }
        }
    }
}

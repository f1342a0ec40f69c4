import Logging

/// The ticks of a monitor with an interval.
enum MonitorLoop {
    /// The intervals a loop keeps: what is shorter would leave no time for anything else, what is longer no clock can wait.
    private static let intervals = Duration.milliseconds(1)...(.seconds(100 * 365.25 * 86_400))

    /// The interval to keep.
    static func interval(_ wanted: Duration) -> Duration {
        min(max(wanted, intervals.lowerBound), intervals.upperBound)
    }

    /// The interval to keep; none where the number is none.
    static func interval(ofSeconds seconds: Double?, _ logger: Logger) -> Duration? {
        guard let seconds else { return nil }
        guard !seconds.isNaN else {
            logger.warning("the interval is not a number, the monitor will not tick")
            return nil
        }
        // Cut before it is converted: a duration has no room for every number.
        return interval(.seconds(min(max(seconds, 0), intervals.upperBound / .seconds(1))))
    }

    /// Starts to tick; the first tick comes one interval from now.
    ///
    /// The loop holds the monitor only while a tick is under way, so a monitor nobody else holds goes away, and its
    /// loop with it. A task of its own, because it lives from `start()` to `stop()`.
    static func start(
        every interval: Duration,
        on clock: any Clock<Duration>,
        _ monitor: MonitorOrchestrator
    ) -> Task<Void, Never> {
        LiveObjects.loops.add()
        return Task { [weak monitor] in
            defer { LiveObjects.loops.remove() }
            await tick(every: interval, on: clock) { @MainActor [weak monitor] in
                // It may have been stopped on the main actor since the tick fell due.
                guard !Task.isCancelled, let monitor else { return }
                await monitor.reevaluate()
            }
        }
    }

    /// Ticks at multiples of the interval.
    ///
    /// Ticks that fall due while one is under way are dropped.
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

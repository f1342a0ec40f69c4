/// The ticks of a monitor with an interval.
enum MonitorLoop {
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
            await tick(every: interval, on: clock) { [weak monitor] in
                guard let monitor else { return }
                // Not in this task: `stop()` ends the ticks and leaves the actions of a running cycle alone.
                await Task { await monitor.reevaluate() }.value
            }
        }
    }

    /// Ticks at multiples of the interval.
    ///
    /// Ticks that fall due while one is under way are dropped.
    private static func tick<C: Clock<Duration>>(
        every interval: Duration,
        on clock: C,
        _ body: () async -> Void
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

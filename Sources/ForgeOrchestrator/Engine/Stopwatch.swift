/// Measures the time since its creation, with any clock.
package struct Stopwatch: Sendable {
    /// Captures the clock and its start instant, because `any Clock<Duration>` hides the instant's type.
    private let elapsedTime: @Sendable () -> Duration

    /// Starts measuring.
    package init(_ clock: any Clock<Duration>) {
        self.init(starting: clock)
    }

    private init<C: Clock<Duration>>(starting clock: C) {
        let start = clock.now
        elapsedTime = { start.duration(to: clock.now) }
    }

    var elapsed: Duration { elapsedTime() }
}

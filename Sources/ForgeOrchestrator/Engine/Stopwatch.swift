/// The time since a moment, on whatever clock it is measured.
package struct Stopwatch: Sendable {
    /// Closes over the clock and its instant, whose types an `any Clock<Duration>` does not tell.
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

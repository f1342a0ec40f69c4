/// A run's deadline, which stands still while the run is parked.
struct RunClock {
    /// The deadline; nil if the run has none, or while the clock stands still.
    private(set) var deadline: Moment?
    /// The time left while the clock stands still; otherwise nil.
    private(set) var remaining: Duration?
    /// How often the clock was started again; the core ignores wake-ups for an earlier deadline.
    private(set) var redrives = 0

    init(deadline: Moment?) { self.deadline = deadline }

    /// Makes a clock that stands still with this much time left; nil for a run without a deadline.
    init(remaining: Duration?) { self.remaining = remaining }

    /// Stops the clock.
    mutating func stop(at now: Moment) {
        guard let deadline else { return }
        (remaining, self.deadline) = (deadline.since(now), nil)
    }

    /// Starts a stopped clock again.
    ///
    /// - Returns: The new deadline; nil if the clock did not stand still.
    mutating func start(at now: Moment) -> Moment? {
        guard let remaining else { return nil }
        let deadline = now.advanced(by: remaining)
        (self.remaining, self.deadline) = (nil, deadline)
        redrives += 1
        return deadline
    }

    /// Whether the deadline that was set after this number of redrives is still the current one.
    func holds(_ redrives: Int) -> Bool { deadline != nil && self.redrives == redrives }
}

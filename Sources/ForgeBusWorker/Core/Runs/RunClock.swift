/// The clock of a run's deadline; it is stopped while the run is parked.
struct RunClock {
    /// The deadline; nil if the run has none, or while the clock is stopped.
    private(set) var deadline: Moment?
    /// The time that is left before the deadline, while the clock is stopped; otherwise nil.
    private(set) var remaining: Duration?
    /// How many times the clock was started again; with this number the core recognises wake-ups for earlier deadlines.
    private(set) var redrives = 0

    init(deadline: Moment?) { self.deadline = deadline }

    /// Makes a stopped clock; `remaining` is the time that is left, or nil for a run without a deadline.
    init(remaining: Duration?) { self.remaining = remaining }

    /// Stops the clock; does nothing without a deadline.
    mutating func stop(at now: Moment) {
        guard let deadline else { return }
        (remaining, self.deadline) = (deadline.since(now), nil)
    }

    /// Starts a stopped clock again.
    ///
    /// - Returns: The new deadline; nil if the clock was not stopped, or the run has no deadline.
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

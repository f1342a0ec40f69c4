/// A run's deadline, which stands still while the run is parked.
struct RunClock {
    /// When it passes; nil where there is none, or while it stands still.
    private(set) var deadline: Moment?
    /// What is left of it while it stands still.
    private(set) var remaining: Duration?
    /// How often it was set anew: moments that were noted for an earlier one mean nothing.
    private(set) var redrives = 0

    init(deadline: Moment?) { self.deadline = deadline }

    /// One that stands still with this much left.
    init(remaining: Duration?) { self.remaining = remaining }

    /// It stands still.
    mutating func stop(at now: Moment) {
        guard let deadline else { return }
        (remaining, self.deadline) = (deadline.since(now), nil)
    }

    /// It runs on.
    ///
    /// - Returns: When it passes now; nil where it did not stand still.
    mutating func start(at now: Moment) -> Moment? {
        guard let remaining else { return nil }
        let deadline = now.advanced(by: remaining)
        (self.remaining, self.deadline) = (nil, deadline)
        redrives += 1
        return deadline
    }

    /// Whether the deadline holds that was set after so many redrives.
    func holds(_ redrives: Int) -> Bool { deadline != nil && self.redrives == redrives }
}

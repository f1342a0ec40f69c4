extension Moment {
    /// What the two clocks of a worker say: the one by which it waits, and the one that people read.
    init(
        at instant: ContinuousClock.Instant,
        unixMilliseconds: Int64,
        since start: ContinuousClock.Instant
    ) {
        nanoseconds = Moment(nanoseconds: 0, unixMilliseconds: 0).advanced(by: instant - start).nanoseconds
        self.unixMilliseconds = unixMilliseconds
    }
}

extension Moment {
    /// Creates a moment from a worker's two clocks: the clock that measures waits, and the clock that people read.
    init(
        at instant: ContinuousClock.Instant,
        unixMilliseconds: Int64,
        since start: ContinuousClock.Instant
    ) {
        nanoseconds = Moment(nanoseconds: 0, unixMilliseconds: 0).advanced(by: instant - start).nanoseconds
        self.unixMilliseconds = unixMilliseconds
    }
}

/// Decides which refusals are logged: at most a few in each period.
struct RefusalRate {
    /// The most lines in one period.
    static let linesPerPeriod = 20
    static let period = Duration.seconds(10)

    private var begin: ContinuousClock.Instant?
    private var logged = 0
    private var leftOut = 0

    /// Counts a refusal.
    ///
    /// - Returns: Whether to log the refusal, and how many refusals of the previous period were not logged. Only the
    ///   first call in a period returns that number; the other calls return 0.
    mutating func count(at now: ContinuousClock.Instant) -> (isLogged: Bool, leftOut: Int) {
        var before = 0
        if begin.map({ now - $0 >= Self.period }) ?? true {
            before = leftOut
            (begin, logged, leftOut) = (now, 0, 0)
        }
        guard logged < Self.linesPerPeriod else {
            leftOut += 1
            return (false, before)
        }
        logged += 1
        return (true, before)
    }
}

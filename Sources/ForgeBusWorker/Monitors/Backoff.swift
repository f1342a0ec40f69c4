/// How long a lane waits before it tries again what failed: 1 s, doubled by each failure in a row, at most 5 min.
struct Backoff {
    private static let first: Duration = .seconds(1)
    private static let longest: Duration = .seconds(300)

    private var doublings = 0

    /// It failed once more.
    ///
    /// - Returns: How long to wait: between half of the pause and all of it, so that what failed together does not come
    ///   back together.
    mutating func pause(_ jitter: inout Jitter) -> Duration {
        let pause = min(Self.first * (1 << doublings), Self.longest)
        if pause < Self.longest { doublings += 1 }
        return pause / 2 + jitter.duration(below: pause / 2)
    }

    /// It succeeded.
    mutating func reset() { doublings = 0 }
}

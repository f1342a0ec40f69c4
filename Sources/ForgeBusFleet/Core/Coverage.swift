/// Decides whether a worker's latest cycle covers a change.
///
/// A worker tells how long ago the cycle began, and not when, so the clocks of worker and asker need not agree. The
/// cycle began no earlier than its age before the question was sent, because the answer's way only makes it look older.
enum Coverage {
    /// The most that the rates of two clocks may differ, as a share: oscillators of computers are at most 200 ppm off
    /// each, and the rest is a margin.
    static let drift = 0.0005

    /// Whether a cycle that began `age` before a question was answered has certainly begun after the change.
    ///
    /// - Parameters:
    ///   - age: How long before the answer the cycle began, by the worker's clock, rounded up.
    ///   - sinceChange: How long after the change the question was first sent, by the asker's clock.
    /// - Returns: False also if that is only not certain.
    static func covers(age: Duration, sinceChange: Duration) -> Bool {
        age + error(age, sinceChange) < sinceChange
    }

    /// Whether a cycle that does not cover a change may have begun after it all the same.
    static func mayCover(age: Duration, sinceChange: Duration) -> Bool {
        age - error(age, sinceChange) < sinceChange
    }

    /// How much two clocks may have gone apart meanwhile.
    private static func error(_ age: Duration, _ sinceChange: Duration) -> Duration { (age + sinceChange) * drift }
}

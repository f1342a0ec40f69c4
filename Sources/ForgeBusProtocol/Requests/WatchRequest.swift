/// Word of what happens from now on is asked for, as much as the sender can take.
///
/// The same request id again adds its credit to the watch.
public struct WatchRequest: Hashable, Sendable {
    /// The events that are told, by their subjects: `run.feed.>`.
    public var pattern: NamePattern
    /// How many events the sender takes, 1 to 10,000.
    public var credit: Int

    /// The next `credit` events whose subject `pattern` means.
    public init(_ pattern: NamePattern, credit: Int) {
        self.pattern = pattern
        self.credit = credit
    }
}

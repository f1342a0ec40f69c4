/// What a worker has counted since it began.
public struct WorkerCounters: Hashable, Sendable {
    /// Messages that came in.
    public internal(set) var received = 0
    /// Answers that were handed to the network, or wait for room.
    public internal(set) var answered = 0
    /// Of these, those that had to wait because their connection did not read.
    public internal(set) var answersDelayed = 0
    /// Answers whose connection was gone or full; their records stay.
    public internal(set) var answersLost = 0
    /// Messages of the bus that were malformed.
    public internal(set) var refused = 0
    /// Messages that were none of the bus.
    public internal(set) var foreign = 0
}

public import ForgeBusProtocol

/// The counters of a worker since it began.
public struct WorkerCounters: Hashable, Sendable {
    /// Messages that came in, and requests without a socket.
    public internal(set) var received = 0
    /// Answers that were handed to the network, or wait for room.
    public internal(set) var answered = 0
    /// Of these, those that had to wait because their connection did not read.
    public internal(set) var answersDelayed = 0
    /// Answers whose connection was gone or full; their records stay.
    public internal(set) var answersLost = 0
    /// Requests that were refused because too much was outstanding on their connection.
    public internal(set) var refusedOutstanding = 0
    /// Requests that were refused because too much waited for the store.
    public internal(set) var heldUp = 0
    /// Messages of the bus that were malformed.
    public internal(set) var refused = 0
    /// Requests and published messages that were refused because their sender has no grant.
    public internal(set) var forbidden = 0
    /// Messages that were not read, because the key of their connection is no longer known.
    public internal(set) var unknownKeys = 0
    /// Connections that were refused because their key is unknown.
    public internal(set) var keysRefused = 0
    /// Connections that were not admitted because too many came from their address within a minute.
    public internal(set) var connectionsPostponed = 0
    /// Access policies that replaced another.
    public internal(set) var accessReplaced = 0
    /// Access policies that were bad, so that the earlier one stayed in force.
    public internal(set) var accessKept = 0
    /// Messages that did not belong to the bus.
    public internal(set) var foreign = 0

    /// Published messages that came in.
    public internal(set) var publications = 0
    /// Of these, those that were malformed or whose sender has no grant, by error code; they had no effect.
    public internal(set) var publicationsRefused: [ErrorCode: Int] = [:]
    /// Of these, repetitions, and those that came behind a later one on their topic; they owed nothing.
    public internal(set) var publicationsCovered = 0
    /// Gaps before published messages; each time every monitor with a topic was owed a cycle.
    public internal(set) var publicationGaps = 0
    /// Lives of publishers, restarts included; each time every monitor with a topic was owed a cycle.
    public internal(set) var publisherLives = 0
    /// Connections to publishers made after one was lost; each time every monitor with a topic was owed a cycle.
    public internal(set) var publicationReconnects = 0
}

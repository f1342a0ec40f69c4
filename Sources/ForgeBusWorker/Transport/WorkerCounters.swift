public import ForgeBusProtocol

/// What a worker has counted since it began.
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
    /// Messages that were not looked at, because the key of their connection stands for nobody any more.
    public internal(set) var unknownKeys = 0
    /// Connections that were refused because their key stands for nobody.
    public internal(set) var keysRefused = 0
    /// Connections that were not let in because too many came from their address within a minute.
    public internal(set) var connectionsPostponed = 0
    /// Access policies that took the place of another.
    public internal(set) var accessReplaced = 0
    /// Access policies that were bad, so that the one before went on to hold.
    public internal(set) var accessKept = 0
    /// Messages that were none of the bus.
    public internal(set) var foreign = 0

    /// Published messages that came in.
    public internal(set) var publications = 0
    /// Of these, those that were malformed or whose sender has no grant, by the code that says so; they had no effect.
    public internal(set) var publicationsRefused: [ErrorCode: Int] = [:]
    /// Of these, those that had come before, or a later one of their publisher on their topic had; they owed nothing.
    public internal(set) var publicationsCovered = 0
    /// How often published messages were missing before one that came; each time every monitor with a topic was owed a
    /// cycle.
    public internal(set) var publicationGaps = 0
    /// Lives of publishers that were heard of, restarts included; each time every monitor with a topic was owed a cycle.
    public internal(set) var publisherLives = 0
    /// Connections to publishers that came up after one was lost; each time every monitor with a topic was owed a cycle.
    public internal(set) var publicationReconnects = 0
}

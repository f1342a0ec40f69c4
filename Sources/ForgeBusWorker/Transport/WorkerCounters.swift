public import ForgeBusProtocol

/// The counters of a worker since it began; each counts events, never a current state.
public struct WorkerCounters: Hashable, Sendable {
    /// Messages that came in over the socket for requests, and requests that code in the worker's process submitted.
    public internal(set) var received = 0
    /// Answers that were handed to their connection, or had to wait until it has room.
    public internal(set) var answered = 0
    /// Answers among ``answered`` that had to wait because their connection did not read.
    public internal(set) var answersDelayed = 0
    /// Answers, some of them among ``answered``, that were lost because their connection was gone, had no room, or had changed its principal.
    ///
    /// The worker keeps the records of the requests, so a request that is sent again still gets its answer.
    public internal(set) var answersLost = 0
    /// Requests that were refused as `busy` because of the limit `outstanding`: too many answers waited for their
    /// connections.
    public internal(set) var refusedOutstanding = 0
    /// Requests that were refused as `busy` because of the limit `backlog`: too many changes waited for the store.
    public internal(set) var heldUp = 0
    /// Requests that were refused as `busy` because of the limit `store`: the database had not answered for some time.
    public internal(set) var refusedStore = 0
    /// Messages of the protocol that were malformed, or came from a connection that chose its own routing id.
    public internal(set) var refused = 0
    /// Requests and published messages that were refused because no grant of their sender allows them.
    public internal(set) var forbidden = 0
    /// Messages that were not read because the access policy no longer contains the key of their connection.
    public internal(set) var unknownKeys = 0
    /// Connections that were refused because the access policy does not contain their key.
    public internal(set) var keysRefused = 0
    /// Connections that were not admitted because too many came from their address within a minute.
    public internal(set) var connectionsPostponed = 0
    /// Connections of senders that still use the worker's previous key.
    public internal(set) var previousKeyUses = 0
    /// How many times a new access policy replaced the current one.
    public internal(set) var accessReplaced = 0
    /// How many times a new access policy was invalid, so that the current one stayed in force.
    public internal(set) var accessKept = 0
    /// Messages from peers that do not speak the protocol; ``refused`` counts malformed messages of the protocol.
    public internal(set) var foreign = 0

    /// Messages that came in over the socket for publications.
    public internal(set) var publications = 0
    /// Published messages that had no effect, because they were malformed or their sender has no grant, by error code.
    public internal(set) var publicationsRefused: [ErrorCode: Int] = [:]
    /// Published messages that caused no cycle: repetitions, and messages that arrived after one that was published
    /// later on the same topic.
    public internal(set) var publicationsCovered = 0
    /// Gaps in the numbers of published messages; each caused a cycle of every monitor that follows a topic.
    public internal(set) var publicationGaps = 0
    /// Lives of publishers that were new to the worker: a life begins when a publisher starts, or begins its numbers again.
    ///
    /// Each new life caused a cycle of every monitor that follows a topic.
    public internal(set) var publisherLives = 0
    /// Connections to publishers that replaced a lost one; each caused a cycle of every monitor that follows a topic.
    public internal(set) var publicationReconnects = 0
}

extension WorkerCounters {
    /// The counters by their names in the answer to SHOW.
    var json: JSONObject {
        let counts: [(String, Int)] = [
            ("received", received), ("answered", answered), ("answers_delayed", answersDelayed),
            ("answers_lost", answersLost), ("refused_outstanding", refusedOutstanding), ("refused_backlog", heldUp),
            ("refused_store", refusedStore), ("malformed", refused), ("forbidden", forbidden),
            ("unknown_keys", unknownKeys),
            ("keys_refused", keysRefused), ("connections_postponed", connectionsPostponed),
            ("previous_key_uses", previousKeyUses), ("access_replaced", accessReplaced),
            ("access_kept", accessKept), ("foreign", foreign),
            ("publications", publications), ("publications_refused", publicationsRefused.values.reduce(0, +)),
            ("publications_covered", publicationsCovered), ("publication_gaps", publicationGaps),
            ("publisher_lives", publisherLives), ("publication_reconnects", publicationReconnects),
        ]
        var json: JSONObject = [:]
        for (name, count) in counts { json[name] = .integer(Int64(count)) }
        return json
    }
}

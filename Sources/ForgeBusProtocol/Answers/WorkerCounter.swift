/// A counter of a worker since it began; it counts events, never a current state.
///
/// The raw value is its place among the counters.
public enum WorkerCounter: Int, CaseIterable, Sendable {
    /// Messages that came in, and requests from code in the worker's own process.
    case received
    /// Answers handed to their connections.
    case answered
    /// Answers that waited because their connection did not read.
    case answersDelayed
    /// The worker keeps the records of the requests, so a request that is sent again still gets its answer.
    case answersLost
    /// Requests refused because too many answers waited for their connection.
    case refusedOutstanding
    /// Requests refused because too many changes waited for the store.
    case refusedBacklog
    /// Requests refused because the database did not answer.
    case refusedStore
    /// Malformed messages of the protocol, and those of a connection that chose its own routing id.
    case malformed
    /// Requests and published messages that no grant allows.
    case forbidden
    /// Messages of connections whose key was removed.
    case unknownKeys
    /// Connections refused because of their key.
    case keysRefused
    /// Connections refused because too many came from one address.
    case connectionsPostponed
    /// Connections with the worker's previous key.
    case previousKeyUses
    /// New access policies that took effect.
    case accessReplaced
    /// New access policies that were invalid, and took no effect.
    case accessKept
    /// Messages of peers that do not speak the protocol.
    case foreign
    /// Published messages that came in.
    case publications
    /// Published messages that were malformed, or whose sender has no right.
    case publicationsRefused
    /// Published messages that needed no cycle of their own.
    case publicationsCovered
    /// Gaps in the numbers of published messages.
    case publicationGaps
    /// A life begins when a publisher starts, or begins its numbers again.
    case publisherLives
    /// New connections to publishers, each in place of a lost one.
    case publicationReconnects
    /// Connections to publishers with a key that failed: another key, or this worker's key refused.
    case publisherHandshakesFailed

    /// The counter's name in the answer to SHOW of the worker; the name of its metric is `forgebus_`, this name and
    /// `_total`.
    public var name: String { text.name }

    /// What the counter counts, in one sentence.
    public var help: String { text.help }

    private var text: (name: String, help: String) {
        switch self {
        case .received: ("received", "Messages that came in, and requests from code in the worker's own process.")
        case .answered: ("answered", "Answers that were handed to their connections.")
        case .answersDelayed: ("answers_delayed", "Answers that had to wait because their connection did not read.")
        case .answersLost:
            ("answers_lost", "Answers that were lost because their connection was gone or its queue was full.")
        case .refusedOutstanding:
            ("refused_outstanding", "Requests refused because too many answers waited for their connection.")
        case .refusedBacklog: ("refused_backlog", "Requests refused because too many changes waited for the store.")
        case .refusedStore: ("refused_store", "Requests refused because the database did not answer.")
        case .malformed: ("malformed", "Malformed messages.")
        case .forbidden: ("forbidden", "Requests and published messages that no grant allows.")
        case .unknownKeys: ("unknown_keys", "Messages of connections whose key was removed.")
        case .keysRefused: ("keys_refused", "Connections refused because of their key.")
        case .connectionsPostponed:
            ("connections_postponed", "Connections refused because too many came from one address.")
        case .previousKeyUses: ("previous_key_uses", "Connections with the worker's previous key.")
        case .accessReplaced: ("access_replaced", "New access policies that replaced the current one.")
        case .accessKept:
            ("access_kept", "New access policies that were invalid, so that the current one stayed in force.")
        case .foreign: ("foreign", "Messages of peers that do not speak the protocol.")
        case .publications: ("publications", "Published messages that came in.")
        case .publicationsRefused:
            ("publications_refused", "Published messages that were malformed, or whose sender has no right.")
        case .publicationsCovered:
            (
                "publications_covered",
                "Published messages that needed no cycle of their own: repetitions, and messages that arrived after one "
                    + "that was published later on the same topic."
            )
        case .publicationGaps: ("publication_gaps", "Gaps in the numbers of published messages.")
        case .publisherLives:
            ("publisher_lives", "Starts and restarts of publishers, as far as the worker noticed them.")
        case .publicationReconnects:
            ("publication_reconnects", "New connections to publishers, each in place of a lost connection.")
        case .publisherHandshakesFailed:
            (
                "publisher_handshakes_failed",
                "Connections to publishers that failed: the publisher holds another key, or does not let this worker's key in."
            )
        }
    }
}

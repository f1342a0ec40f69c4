/// A counter of a worker since it began; it counts events, never a current state.
///
/// The raw value is the counter's name in the answer to SHOW of the worker. The name of its metric is `forgebus_`, this
/// name and `_total`.
public enum WorkerCounter: String, CaseIterable, Sendable {
    /// Messages that came in, and requests from code in the worker's own process.
    case received
    /// Answers handed to their connections.
    case answered
    /// Answers that waited because their connection did not read.
    case answersDelayed = "answers_delayed"
    /// The worker keeps the records of the requests, so a request that is sent again still gets its answer.
    case answersLost = "answers_lost"
    /// Requests refused because too many answers waited for their connection.
    case refusedOutstanding = "refused_outstanding"
    /// Requests refused because too many changes waited for the store.
    case refusedBacklog = "refused_backlog"
    /// Requests refused because the database did not answer.
    case refusedStore = "refused_store"
    /// Malformed messages of the protocol, and those of a connection that chose its own routing id.
    case malformed
    /// Requests and published messages that no grant allows.
    case forbidden
    /// Messages of connections whose key was removed.
    case unknownKeys = "unknown_keys"
    /// Connections refused because of their key.
    case keysRefused = "keys_refused"
    /// Connections refused because too many came from one address.
    case connectionsPostponed = "connections_postponed"
    /// Connections with the worker's previous key.
    case previousKeyUses = "previous_key_uses"
    /// New access policies that took effect.
    case accessReplaced = "access_replaced"
    /// New access policies that were invalid, and took no effect.
    case accessKept = "access_kept"
    /// Messages of peers that do not speak the protocol.
    case foreign
    /// Published messages that came in.
    case publications
    /// Published messages that were malformed, or whose sender has no right.
    case publicationsRefused = "publications_refused"
    /// Published messages that needed no cycle of their own.
    case publicationsCovered = "publications_covered"
    /// Gaps in the numbers of published messages.
    case publicationGaps = "publication_gaps"
    /// A life begins when a publisher starts, or begins its numbers again.
    case publisherLives = "publisher_lives"
    /// New connections to publishers, each in place of a lost one.
    case publicationReconnects = "publication_reconnects"
    /// Connections to publishers with a key that failed: another key, or this worker's key refused.
    case publisherHandshakesFailed = "publisher_handshakes_failed"

    /// What the counter counts, in one sentence.
    public var help: String {
        switch self {
        case .received: "Messages that came in, and requests from code in the worker's own process."
        case .answered: "Answers that were handed to their connections."
        case .answersDelayed: "Answers that had to wait because their connection did not read."
        case .answersLost: "Answers that were lost because their connection was gone or its queue was full."
        case .refusedOutstanding: "Requests refused because too many answers waited for their connection."
        case .refusedBacklog: "Requests refused because too many changes waited for the store."
        case .refusedStore: "Requests refused because the database did not answer."
        case .malformed: "Malformed messages."
        case .forbidden: "Requests and published messages that no grant allows."
        case .unknownKeys: "Messages of connections whose key was removed."
        case .keysRefused: "Connections refused because of their key."
        case .connectionsPostponed: "Connections refused because too many came from one address."
        case .previousKeyUses: "Connections with the worker's previous key."
        case .accessReplaced: "New access policies that replaced the current one."
        case .accessKept: "New access policies that were invalid, so that the current one stayed in force."
        case .foreign: "Messages of peers that do not speak the protocol."
        case .publications: "Published messages that came in."
        case .publicationsRefused: "Published messages that were malformed, or whose sender has no right."
        case .publicationsCovered:
            "Published messages that needed no cycle of their own: repetitions, and messages that arrived after one "
                + "that was published later on the same topic."
        case .publicationGaps: "Gaps in the numbers of published messages."
        case .publisherLives: "Starts and restarts of publishers, as far as the worker noticed them."
        case .publicationReconnects: "New connections to publishers, each in place of a lost connection."
        case .publisherHandshakesFailed:
            "Connections to publishers that failed: the publisher holds another key, or does not let this worker's key in."
        }
    }
}

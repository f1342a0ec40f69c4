/// A counter of a worker since it began; it counts events, never a current state.
///
/// The raw value is the counter's name in the answer to SHOW of the worker. The name of its metric is `forgebus_`, this
/// name and `_total`.
public enum WorkerCounter: String, CaseIterable, Sendable {
    case received
    case answered
    case answersDelayed = "answers_delayed"
    /// The worker keeps the records of the requests, so a request that is sent again still gets its answer.
    case answersLost = "answers_lost"
    case refusedOutstanding = "refused_outstanding"
    case refusedBacklog = "refused_backlog"
    case refusedStore = "refused_store"
    /// Malformed messages of the protocol, and those of a connection that chose its own routing id.
    case malformed
    case forbidden
    case unknownKeys = "unknown_keys"
    case keysRefused = "keys_refused"
    case connectionsPostponed = "connections_postponed"
    case previousKeyUses = "previous_key_uses"
    case accessReplaced = "access_replaced"
    case accessKept = "access_kept"
    case foreign
    case publications
    case publicationsRefused = "publications_refused"
    case publicationsCovered = "publications_covered"
    case publicationGaps = "publication_gaps"
    /// A life begins when a publisher starts, or begins its numbers again.
    case publisherLives = "publisher_lives"
    case publicationReconnects = "publication_reconnects"

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
        }
    }
}

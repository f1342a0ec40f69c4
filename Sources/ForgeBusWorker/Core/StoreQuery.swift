import ForgeBusProtocol
import ForgeBusStore

/// A request for a history, for the output of a run's actions, or for the texts of an ended run; only the store has these.
struct StoreQuery: Sendable {
    enum Content: Sendable {
        /// The history of a run, signal or monitor.
        ///
        /// `known` has the entries that the core knows without the journal, oldest first. `isKnown` says whether the
        /// core knows a run, signal or monitor of that name; if not, the journal may still have entries.
        case history(known: [JournalEntry], isKnown: Bool)
        /// The output of all actions of the run, or only of `action`.
        case output(action: String?)
        /// The texts of an ended run; `item` completes them with the facts that the core knows.
        case run(complete: @Sendable (RunTexts?) -> JSONObject)
    }

    let name: Name
    let content: Content
    let request: RequestID
    let caller: Caller
    let principal: AccessPolicy.Principal

    init(_ name: Name, _ content: Content, _ received: Received) {
        self.name = name
        self.content = content
        request = received.request.id
        caller = received.caller
        principal = received.principal
    }

    /// Whether the query counts for the limit `history`; a run is shown however many histories are being read.
    var isLimited: Bool { if case .run = content { false } else { true } }

    /// The entries that the core knows without the journal; none for an output.
    var known: [JournalEntry] { if case .history(let known, _) = content { known } else { [] } }
}

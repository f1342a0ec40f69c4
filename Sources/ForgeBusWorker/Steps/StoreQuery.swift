import ForgeBusProtocol
import ForgeBusStore

/// A request for a history, or for what the actions of a run printed: only the store has that.
struct StoreQuery: Sendable {
    enum Content: Sendable {
        /// The history of a run, signal or monitor; `known` are the entries that the core knows without the journal,
        /// oldest first.
        ///
        /// The journal may have entries even if the core does not know (`isKnown`) a run, signal or monitor of that name.
        case history(known: [JournalEntry], isKnown: Bool)
        /// What the actions of the run printed; with `action`, only what that action printed.
        case output(action: String?)
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

    /// The entries that the core knows without the journal; none for an output.
    var known: [JournalEntry] { if case .history(let known, _) = content { known } else { [] } }
}

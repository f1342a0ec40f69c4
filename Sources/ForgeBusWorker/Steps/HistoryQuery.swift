import ForgeBusProtocol
import ForgeBusStore

/// A request for the history of a run, signal or monitor.
struct HistoryQuery: Sendable {
    let name: Name
    /// Whether the core knows a run, signal or monitor of that name; the journal may have entries even if not.
    let isKnown: Bool
    /// The entries that the core knows without the journal, oldest first.
    let known: [JournalEntry]
    let request: RequestID
    let caller: Caller
    let principal: AccessPolicy.Principal
}

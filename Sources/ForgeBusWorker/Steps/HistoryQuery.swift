import ForgeBusProtocol
import ForgeBusStore

/// Somebody wants to know what happened to a run, signal or monitor.
struct HistoryQuery: Sendable {
    let name: Name
    /// Whether there is a run, signal or monitor of that name, whatever is written down of it.
    let isKnown: Bool
    /// What is known without the journal, oldest first.
    let known: [JournalEntry]
    let request: RequestID
    let caller: Caller
    let principal: AccessPolicy.Principal
}

public import ForgeBusProtocol

/// A task that an operator can request of a store.
public enum StoreTask: Hashable, Sendable {
    /// Reads the whole store and reports whether it is undamaged.
    case verify
    /// Counts the records and the journal entries; a store may report more numbers.
    case stats
    /// Copies the whole store to a new file called `name` in the store's directory.
    ///
    /// The copy has the state of the store at the end of copying.
    case backup(name: Name)
    /// Reads a page of the audit.
    case auditPage(AuditQuery)
    /// Checks the audit's chain from its oldest to its newest entry; if `head` is not nil, the chain must contain it.
    case auditCheck(head: AuditHead?)
}

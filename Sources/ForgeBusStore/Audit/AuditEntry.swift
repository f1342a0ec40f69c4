public import ForgeBusProtocol

/// An entry of the audit: one decision or other change, or the refusals of one principal within a minute.
///
/// An entry contains names, ids and states, never the content of a message. The store numbers the entries and chains
/// them (``AuditChain``), so an entry is written once and never changed.
public struct AuditEntry: Hashable, Sendable {
    /// When the event happened, in milliseconds since 1970 by the worker's clock.
    ///
    /// The clock is not reliable, because somebody may have changed it.
    public var unixMilliseconds: Int64
    /// The kind of event, in words joined by `_`, such as `decided` or `access_replaced`.
    public var event: String
    /// The principal that caused the event; nil if no principal did.
    public var principal: String?
    /// The key that the principal used; nil for a sender without a key.
    public var key: String?
    /// The id of the request that caused the event; nil if no request did.
    public var request: RequestID?
    /// Why the principal was allowed to cause the event: a grant, such as `complete:deploy.>`, or `owner`; nil if the
    /// worker checked no right.
    public var allowedBy: String?
    /// The facts of the event: names, ids, states and counts.
    public var facts: JSONObject

    /// Creates an entry for an event.
    public init(
        at unixMilliseconds: Int64,
        _ event: String,
        principal: String? = nil,
        key: String? = nil,
        request: RequestID? = nil,
        allowedBy: String? = nil,
        facts: JSONObject = [:]
    ) {
        self.unixMilliseconds = unixMilliseconds
        self.event = event
        self.principal = principal
        self.key = key
        self.request = request
        self.allowedBy = allowedBy
        self.facts = facts
    }
}

public import ForgeBusProtocol

/// A pipeline or a monitor that is paused: its queued work stays queued, and it starts nothing new.
public struct PauseRecord: Hashable, Sendable {
    /// What is paused.
    public var subject: PauseSubject
    /// The principal that paused it.
    public var principal: String
    /// The principal that sent the request for ``principal``; nil if the principal sent it itself.
    public var via: String?
    /// When it was paused, in milliseconds since 1970.
    public var since: Int64
    /// When the pause ends by itself, in milliseconds since 1970; nil if the pause lasts until a RESUME request.
    public var until: Int64?
    /// Why it was paused, for people; empty if the request gave no reason.
    public var reason: String

    /// Creates the record of a pause.
    public init(
        subject: PauseSubject,
        principal: String,
        via: String?,
        since: Int64,
        until: Int64? = nil,
        reason: String = ""
    ) {
        self.subject = subject
        self.principal = principal
        self.via = via
        self.since = since
        self.until = until
        self.reason = reason
    }
}

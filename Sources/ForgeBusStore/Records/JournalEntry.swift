public import ForgeBusProtocol

/// Something that happened to a run, a signal or a monitor: written once, never changed.
///
/// The journal answers "what happened to it, and who did that?", across restarts.
public struct JournalEntry: Hashable, Sendable {
    /// When, in milliseconds since 1970 by the worker's clock.
    public var unixMilliseconds: Int64
    /// What happened, one word with `_`: `decided`, `parked`.
    public var event: String
    /// The run it is about, if it is about one.
    public var run: Name?
    /// The signal it is about, if it is about one.
    public var signal: Name?
    /// The monitor it is about, if it is about one.
    public var monitor: Name?
    /// Who did it; nil if that is unknown.
    public var principal: String?
    /// The id of the request that did it; nil if no request did.
    public var request: RequestID?
    /// More, by keys of its own: names, ids and states, never the content of a message.
    public var details: JSONObject

    /// Something that happened.
    public init(
        at unixMilliseconds: Int64,
        _ event: String,
        run: Name? = nil,
        signal: Name? = nil,
        monitor: Name? = nil,
        principal: String? = nil,
        request: RequestID? = nil,
        details: JSONObject = [:]
    ) {
        self.unixMilliseconds = unixMilliseconds
        self.event = event
        self.run = run
        self.signal = signal
        self.monitor = monitor
        self.principal = principal
        self.request = request
        self.details = details
    }
}

extension JournalEntry {
    /// Whether it is about the run, signal or monitor of this name.
    package func isAbout(_ name: Name) -> Bool { run == name || signal == name || monitor == name }
}

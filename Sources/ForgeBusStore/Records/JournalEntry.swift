public import ForgeBusProtocol

/// An entry of the journal: one event, usually of a run, a signal or a monitor.
///
/// An entry never changes after it is written. The journal shows what happened and who caused it, also before a restart
/// of the worker.
public struct JournalEntry: Hashable, Sendable {
    /// When the event happened, in milliseconds since 1970 by the worker's clock.
    public var unixMilliseconds: Int64
    /// The kind of event, in words joined by `_`, such as `parked` or `begun_again`.
    public var event: String
    /// The run that the entry is about; nil if it is about no run.
    public var run: Name?
    /// The signal that the entry is about; nil if it is about no signal.
    public var signal: Name?
    /// The monitor that the entry is about; nil if it is about no monitor.
    public var monitor: Name?
    /// The principal that caused the event; nil if it is unknown.
    public var principal: String?
    /// The id of the request that caused the event; nil if no request did.
    public var request: RequestID?
    /// More facts about the event: names, ids and states, never the content of a message.
    public var details: JSONObject

    /// Creates an entry for an event.
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
    /// Whether the entry is about the run, signal or monitor called `name`.
    package func isAbout(_ name: Name) -> Bool { run == name || signal == name || monitor == name }
}

public import ForgeBusProtocol

/// A pipeline or a monitor that is paused: its queued work stays queued, and it starts nothing new.
public struct PauseRecord: Hashable, Sendable {
    /// What is paused.
    public var subject: Subject
    /// The principal that paused it.
    public var principal: String
    /// When it was paused, in milliseconds since 1970.
    public var since: Int64
    /// When the pause ends by itself, in milliseconds since 1970; nil if it lasts until somebody resumes it.
    public var until: Int64?

    /// What can be paused.
    public enum Subject: Hashable, Sendable {
        /// A pipeline, by its name.
        case pipeline(Name)
        /// A monitor, by its name.
        case monitor(Name)

        /// The name of the pipeline or the monitor.
        public var name: Name {
            switch self {
            case .pipeline(let name), .monitor(let name): name
            }
        }
    }

    /// Creates the record of a pause.
    public init(subject: Subject, principal: String, since: Int64, until: Int64? = nil) {
        self.subject = subject
        self.principal = principal
        self.since = since
        self.until = until
    }
}

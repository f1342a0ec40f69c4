/// Monitors are told which screen is showing.
public struct ModeRequest: Hashable, Sendable {
    /// Which monitors.
    public var monitors: NamePattern
    /// The screen, 1 to 256 bytes; nil where none is showing any more.
    public var screen: String?
    /// How long that holds, 1 ms to 7 days; then no screen is showing.
    ///
    /// It has no default: whoever excludes monitors and dies must not exclude them for ever.
    public var timeToLive: Duration

    /// `screen` is showing to `monitors`.
    public init(_ monitors: NamePattern, screen: String?, for timeToLive: Duration) {
        self.monitors = monitors
        self.screen = screen
        self.timeToLive = timeToLive
    }
}

/// An operator asks for something.
public struct AdminRequest: Hashable, Sendable {
    /// What is to be done; which verbs there are is the worker's to say.
    public var verb: Name
    /// What it is to be done with.
    public var arguments: JSONObject

    /// Do `verb` with `arguments`.
    public init(_ verb: Name, arguments: JSONObject = [:]) {
        self.verb = verb
        self.arguments = arguments
    }
}

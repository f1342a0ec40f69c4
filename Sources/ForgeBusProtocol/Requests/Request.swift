/// What a client asks of a worker.
public struct Request: Hashable, Sendable {
    /// The sender's id, kept for every resend.
    public var id: RequestID
    /// What is asked.
    public var command: Command
    /// What the sender calls itself: a label, at most 128 bytes, never an identity.
    public var source: String?
    /// The W3C trace context the request belongs to.
    public var traceparent: String?

    /// A request under a new random id.
    public init(_ command: Command, id: RequestID = .random(), source: String? = nil, traceparent: String? = nil) {
        self.id = id
        self.command = command
        self.source = source
        self.traceparent = traceparent
    }

    /// The commands of version 1.
    public enum Command: Hashable, Sendable {
        /// Say who you are, what you speak and what your limits are; nobody has to ask.
        case hello
        /// Something changed: re-evaluate the monitors that follow the topic.
        case notify(StateChange)
        /// Run a pipeline with these seeds.
        case run(RunRequest)
        /// Tell of a run from now on, and how it ends.
        case attach(AttachRequest)
        /// End a run before its time.
        case cancel(CancelRequest)
        /// Go on with a parked run, at the action it stopped at.
        case redrive(RedriveRequest)
        /// Decide the signal that waits under an id, or keep the decision for it.
        case decide(Decision)
        /// Show one thing the worker holds.
        case show(ShowRequest)
        /// List what the worker holds.
        case list(ListRequest)
        /// Tell what happens from now on, or go on telling it.
        case watch(WatchRequest)
        /// Stop telling: the watch that began under this request's id.
        case unwatch
        /// Say which screen is showing to monitors.
        case mode(ModeRequest)
        /// Do what an operator asks.
        case admin(AdminRequest)
        /// Answer, application to application; the body comes back.
        case ping([UInt8])
    }
}

extension Request.Command {
    /// Whether the worker keeps what it did under the id, so that the same request has its effect once.
    ///
    /// Notifications are idempotent by nature, and reading changes nothing.
    package var isLedgered: Bool {
        switch self {
        case .run, .decide, .cancel, .redrive, .mode, .admin: true
        case .hello, .notify, .attach, .show, .list, .watch, .unwatch, .ping: false
        }
    }
}

/// How long an acknowledged thing lives.
public enum Durability: String, Comparable, CaseIterable, Hashable, Sendable {
    /// As long as the worker's process.
    case memory
    /// Through `kill -9` and power loss.
    case fsynced

    /// What survives more is the greater.
    public static func < (a: Durability, b: Durability) -> Bool { a == .memory && b == .fsynced }
}

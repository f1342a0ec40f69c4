/// The worker's name, its protocol versions and its limits.
public struct Welcome: Hashable, Sendable {
    /// The worker's name.
    public var worker: String
    /// The versions of the protocol that the worker supports.
    public var versions: [Int]
    /// Whether the worker is starting, ready or draining, which decides the requests that it accepts now.
    public var state: Pong.State
    /// The durability of the worker's acknowledgements, unless the sender requests another.
    public var durability: Durability
    /// How long the worker keeps an answer of that durability.
    public var retention: Duration
    /// The identity of the worker's store; nil if the worker does not report one.
    ///
    /// Workers that report the same identity keep the same requests, runs and decisions.
    public var store: String?
    /// The worker's limits by name: those of the protocol, ``WireLimits/byName``, and those that a `busy` error names.
    public var limits: [String: Int]

    /// The protocol versions of this module.
    public static let spokenVersions = [CommandFrame.version]

    /// Makes a worker's WELCOME.
    public init(
        worker: String,
        versions: [Int] = Self.spokenVersions,
        state: Pong.State,
        durability: Durability,
        retention: Duration,
        store: String? = nil,
        limits: [String: Int]
    ) {
        self.worker = worker
        self.versions = versions
        self.state = state
        self.durability = durability
        self.retention = retention
        self.store = store
        self.limits = limits
    }
}

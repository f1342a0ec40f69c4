/// The answer to a HELLO, which describes the worker.
public struct Welcome: Hashable, Sendable {
    /// The worker's name.
    public var worker: String
    /// The versions of the protocol that the worker supports.
    public var versions: [Int]
    /// The worker's state; a worker that is starting or draining refuses new work.
    public var state: Pong.State
    /// The durability of the worker's acknowledgements.
    ///
    /// A notification is acknowledged as `memory`, unless its sender asks for another durability.
    public var durability: Durability
    /// How long the worker keeps a final answer.
    public var retention: Duration
    /// The identity of the worker's store; nil if the worker does not report one.
    ///
    /// A later worker that reports the same identity has the same store, with the same requests, runs and decisions.
    public var store: String?
    /// What the worker supports beyond the first version of the protocol; ``actingFor`` and ``lastCycle`` so far.
    public var features: [String]
    /// The worker's limits by name: the limits of ``WireLimits/byName``, and the worker's own limits, such as `queued`.
    public var limits: [String: Int]

    /// The feature of workers that accept the attribute `as`; an older worker ignores it.
    public static let actingFor = "as"
    /// The feature of workers that describe the latest ended cycle of each monitor, as ``MonitorItem/last``.
    public static let lastCycle = "last"

    /// The protocol versions that this module supports.
    public static let spokenVersions = [CommandFrame.version]

    /// Makes a worker's WELCOME.
    public init(
        worker: String,
        versions: [Int] = Self.spokenVersions,
        state: Pong.State,
        durability: Durability,
        retention: Duration,
        store: String? = nil,
        features: [String] = [],
        limits: [String: Int]
    ) {
        self.worker = worker
        self.versions = versions
        self.state = state
        self.durability = durability
        self.retention = retention
        self.store = store
        self.features = features
        self.limits = limits
    }
}

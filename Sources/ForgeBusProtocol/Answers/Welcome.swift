/// The worker's name, its protocol versions and its limits.
public struct Welcome: Hashable, Sendable {
    /// The worker's name.
    public var worker: String
    /// The versions of the protocol it speaks.
    public var versions: [Int]
    /// The requests that the worker accepts now.
    public var state: Pong.State
    /// The durability of its acknowledgements, unless the sender asks for another.
    public var durability: Durability
    /// How long an answer of that durability is kept.
    public var retention: Duration
    /// What tells the store of its records from every other; nil of a worker that does not say.
    ///
    /// Workers that say the same keep the same requests, runs and decisions.
    public var store: String?
    /// Its limits by name: those of the wire, ``WireLimits/byName``, and those that BUSY can name.
    public var limits: [String: Int]

    /// The versions this module speaks.
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

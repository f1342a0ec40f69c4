/// Who the worker is, what it speaks and what its limits are.
public struct Welcome: Hashable, Sendable {
    /// What the worker calls itself.
    public var worker: String
    /// The versions of the protocol it speaks.
    public var versions: [Int]
    /// What it takes.
    public var state: Pong.State
    /// What its acknowledgements are worth when the sender asks for nothing else.
    public var durability: Durability
    /// How long an answer of that durability is kept.
    public var retention: Duration
    /// Its limits by name: those of the wire, ``WireLimits/byName``, and the words BUSY uses.
    public var limits: [String: Int]

    /// The versions this module speaks.
    public static let spokenVersions = [CommandFrame.version]

    /// A worker says who it is.
    public init(
        worker: String,
        versions: [Int] = Self.spokenVersions,
        state: Pong.State,
        durability: Durability,
        retention: Duration,
        limits: [String: Int]
    ) {
        self.worker = worker
        self.versions = versions
        self.state = state
        self.durability = durability
        self.retention = retention
        self.limits = limits
    }
}

/// What is said when a worker is started, and counts more than the environment and the file.
public struct WorkerSettings: Hashable, Sendable {
    /// What the worker calls itself.
    public var name: String?
    /// Where it listens, in place of every endpoint that is given elsewhere.
    public var listen: [String]?
    /// Where it keeps what must survive it: the path of a file, or `memory`.
    public var store: String?
    /// How long it may take to finish what began once it is told to stop, at most a day.
    public var drain: Duration?
    /// How it tells senders apart; nil serves whoever is on this machine, and nobody else.
    public var keys: KeyFiles?

    /// Settings that leave everything to the environment and the file.
    public init() {}
}

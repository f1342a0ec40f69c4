/// The settings that are given at the start of a worker, and override the environment and the file.
public struct WorkerSettings: Hashable, Sendable {
    /// The worker's name.
    public var name: String?
    /// The endpoints to listen at; they replace the endpoints of the environment and of the file.
    public var listen: [String]?
    /// The endpoints to listen at with the previous key of ``keys``; they replace those of the environment and of the file.
    public var previousListen: [String]?
    /// The store: the path of a file, or `memory`.
    public var store: String?
    /// How long the worker may take to finish its running actions after a request to stop; at most one day.
    public var drain: Duration?
    /// The files for authenticating senders; nil accepts only senders on this machine, without authentication.
    public var keys: KeyFiles?

    /// Leaves every setting to the environment and the file.
    public init() {}
}

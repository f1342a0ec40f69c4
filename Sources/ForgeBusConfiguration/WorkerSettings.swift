/// The settings that are given at the start of a worker.
///
/// Each setting overrides the environment and the file. A setting that is nil is taken from them.
public struct WorkerSettings: Hashable, Sendable {
    /// The worker's name.
    public var name: String?
    /// The endpoints to listen at; they replace the endpoints of the environment and of the file.
    public var listen: [String]?
    /// The endpoints where the worker uses its previous key, ``KeyFiles/previousCertificate``.
    ///
    /// They replace the endpoints that the environment and the file give for the previous key.
    public var previousListen: [String]?
    /// The store: the path of a file, the URL of a PostgreSQL database, or `memory`.
    ///
    /// A path that is not absolute is relative to the current directory.
    public var store: String?
    /// The path of the store's file if neither ``store`` nor the environment nor the file names a store.
    ///
    /// Without it, the store is then the ``DefaultStore``.
    public var fallbackStore: String?
    /// How long the worker may take to finish its running actions after a request to stop; at most one day.
    public var drain: Duration?
    /// The files for authenticating senders; nil accepts only senders on this machine, without authentication.
    public var keys: KeyFiles?

    /// Leaves every setting to the environment and the file.
    public init() {}
}

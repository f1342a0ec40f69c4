public import ForgeBusProtocol

/// A run that the worker has requested itself, and that begins as soon as the limits of the worker allow.
///
/// The record is committed together with the cause of the run, and removed in the commit that adds the run's record.
public struct RequestedRunRecord: Hashable, Sendable {
    /// The id that the run will have.
    public var run: Name
    /// The name of the run's pipeline.
    public var pipeline: Name
    /// What requested the run.
    public var origin: RunOrigin
    /// The seeds for the run.
    ///
    /// If an event requested the run, these are all facts of the event. The run gets only the facts that its pipeline
    /// declares as seeds.
    public var seeds: JSONObject
    /// When the run was requested, in milliseconds since 1970.
    public var unixMilliseconds: Int64
    /// The number of events that the run reports; more than 1 if several events share this run, because too many events
    /// came.
    public var count: Int
    /// The runs, gates or monitors of these events, at most the first 100.
    public var subjects: [String]

    /// Creates the record of a run that is owed.
    public init(
        run: Name,
        pipeline: Name,
        origin: RunOrigin,
        seeds: JSONObject,
        unixMilliseconds: Int64,
        count: Int = 1,
        subjects: [String] = []
    ) {
        self.run = run
        self.pipeline = pipeline
        self.origin = origin
        self.seeds = seeds
        self.unixMilliseconds = unixMilliseconds
        self.count = count
        self.subjects = subjects
    }
}

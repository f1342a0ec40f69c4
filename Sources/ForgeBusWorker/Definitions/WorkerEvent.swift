public import ForgeBusProtocol

/// An event for which a worker itself can request a run, for instance to notify people or other systems.
///
/// ``WorkerConfiguration/events`` and ``HostedPipeline/events`` name the pipeline for each event. The worker commits the
/// request together with the event, and begins the run as soon as its limits allow.
public enum WorkerEvent: String, CaseIterable, Hashable, Sendable {
    /// A run waits at a gate.
    case waiting
    /// A run is parked.
    case parked
    /// A run ended as failed, timed out or lost.
    case failed
    /// A gate's deadline passed before the gate was decided.
    case expired
    /// A monitor has begun to fail: a cycle failed or took too long, and the cycle before, if any, did not.
    ///
    /// Only the events of a worker can name this event, not those of a pipeline.
    case monitorFailed = "monitor_failed"

    /// The seeds that each event offers to the pipeline that it requests, with their types.
    ///
    /// The run gets only the seeds that its pipeline declares. A text that does not apply to the event is empty.
    public static let seeds: [(key: String, type: ValueType)] = [
        ("event", .string), ("pipeline", .string), ("run", .string), ("action", .string), ("gate", .string),
        ("monitor", .string), ("state", .string), ("reason", .string), ("message", .string), ("requester", .string),
        ("url", .string), ("count", .integer), ("ids", .array),
    ]
}

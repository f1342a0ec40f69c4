import ForgeBusProtocol

/// Something that is hosted came to no good end: whoever runs the worker should hear of it.
enum Trouble: Sendable {
    /// A run failed, took too long, is lost or waits for somebody to redrive it.
    case run(RunID, PipelineName, state: StateReport.State, reason: String)
    /// Actions of a cycle failed.
    case cycle(Name, failed: [String])
    /// A cycle did not end in its time, and was cancelled.
    case overdue(Name)
}

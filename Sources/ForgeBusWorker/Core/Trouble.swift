import ForgeBusProtocol
import ForgeBusStore

/// A line for the operator: a failure of a run or monitor, a recovery, or the end of a pause.
enum Trouble: Sendable {
    /// A run failed, took too long, is lost or waits for a redrive; the names are the run's id and its pipeline.
    case run(Name, Name, state: StateReport.State, reason: String)
    /// Actions of a cycle failed.
    case cycle(Name, failed: [String])
    /// A cycle succeeded after `failures` cycles in a row had failed or taken too long.
    case recovered(Name, failures: Int)
    /// The runs of this pipeline that events request have begun to fail; `run` is the first that failed.
    case eventsFail(Name, run: Name, reason: String)
    /// A run of this pipeline that an event requested has completed, after `failures` such runs in a row had failed.
    case eventsRecovered(Name, failures: Int)
    /// A pause has ended because its time is over: the pipeline or monitor continues.
    case pauseEnded(PauseRecord)
    /// A cycle did not end within its time limit, and was cancelled.
    case overdue(Name)
}

package import ForgeBusProtocol
package import ForgeOrchestrator

/// Provides the simulated time of a worker in a test, and executes the actions or simulates their failures.
///
/// A worker with a simulation has the same core, commits and execution as any other worker. But it opens no socket, and
/// its runs execute on one thread. It reports when it is idle: then nothing in the worker can continue before the
/// simulated time advances.
package protocol Simulation: AnyObject, Sendable {
    /// The simulated time, by which all waits are measured.
    var instant: ContinuousClock.Instant { get }
    /// The simulated wall-clock time, in milliseconds since 1970.
    var unixMilliseconds: Int64 { get }
    /// The prefix of the run ids, which is different for each worker.
    var runPrefix: String { get }

    /// Whether a part of `activity` waits for the simulated time to advance.
    func isAsleep(_ activity: Activity) -> Bool

    /// Executes an action of a run, or simulates a failure of the action.
    nonisolated(nonsending) func execute(_ action: any PipelineAction, in context: PipelineContext) async
        -> ActionResult
}

/// An activity of a worker that may wait for the simulated time to advance.
package enum Activity: Hashable, Sendable {
    /// The start-up sequence.
    case startup
    /// The actions of a run.
    case run(Name)
    /// A cycle of a monitor that the worker ordered.
    case cycle(monitor: Int)

    /// The activity that the current task belongs to; nil outside a worker with a simulation.
    @TaskLocal package static var current: Activity?
}

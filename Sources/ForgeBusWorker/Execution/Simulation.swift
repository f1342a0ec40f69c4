package import ForgeBusProtocol
package import ForgeOrchestrator

/// Replaces the machine while somebody tests actions: provides the clock, and executes the actions or simulates
/// failures.
///
/// A worker with a simulation has the same core, commits and execution as any other worker. It opens no socket, its
/// runs execute on one thread, and it reports when it is idle, which means that nothing in it can continue before the
/// simulated time advances.
package protocol Simulation: AnyObject, Sendable {
    /// The simulated time, which all waits are measured with.
    var instant: ContinuousClock.Instant { get }
    /// The simulated wall-clock time, in milliseconds since 1970.
    var unixMilliseconds: Int64 { get }
    /// The prefix of the ids of runs; different for each worker.
    var runPrefix: String { get }

    /// Whether a part of `activity` waits for the simulated time.
    func isAsleep(_ activity: Activity) -> Bool

    /// Executes an action of a run, or simulates a failure of it.
    nonisolated(nonsending) func execute(_ action: any PipelineAction, in context: PipelineContext) async
        -> ActionResult
}

/// An activity of a worker, which may wait for the simulated time.
package enum Activity: Hashable, Sendable {
    /// The start-up sequence.
    case startup
    /// The actions of a run.
    case run(Name)
    /// The cycle of a monitor that the worker ordered.
    case cycle(monitor: Int)
    /// The ticks of a monitor's interval.
    case ticks(monitor: Int)

    /// The activity that the current task belongs to; nil outside a worker with a simulation.
    @TaskLocal package static var current: Activity?
}

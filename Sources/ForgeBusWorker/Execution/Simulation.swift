package import ForgeBusProtocol
package import ForgeOrchestrator

/// What stands in for the machine while somebody tests their actions: the clock, and what befalls an action.
///
/// A worker with a simulation has the core, the commits and the execution of any other. It opens no socket, its runs execute
/// on one thread, and it tells when nothing of it can go on before time does.
package protocol Simulation: AnyObject, Sendable {
    /// The time by which everything waits.
    var instant: ContinuousClock.Instant { get }
    /// The time that people read, in milliseconds since 1970.
    var unixMilliseconds: Int64 { get }
    /// What the ids of runs begin with: another text for each worker.
    var runPrefix: String { get }

    /// Whether something of `activity` waits for the simulated time.
    func isAsleep(_ activity: Activity) -> Bool

    /// Executes an action of a run, or has something befall it.
    nonisolated(nonsending) func execute(_ action: any PipelineAction, in context: PipelineContext) async
        -> ActionResult
}

/// Something of a worker that is under way, and may wait for the simulated time.
package enum Activity: Hashable, Sendable {
    /// The start-up sequence.
    case startup
    /// The actions of a run.
    case run(Name)
    /// The cycle that the worker ordered of a monitor.
    case cycle(monitor: Int)
    /// The interval of a monitor.
    case ticks(monitor: Int)

    /// Whose task this is; nil outside of a worker with a simulation.
    @TaskLocal package static var current: Activity?
}

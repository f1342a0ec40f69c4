import ForgeBusWorker
import ForgeLocks
import ForgeOrchestrator

/// The simulated machine of one worker, from the worker's start to its crash or end.
///
/// It gives the worker the test's clock, and causes the scripted faults.
final class Stage: Simulation {
    private struct State {
        var die: (@Sendable () -> Void)?
        var hasDied = false
    }

    private let clock: TestClock
    private let faults: Faults
    let runPrefix: String
    private let state = Guarded(State())

    init(_ clock: TestClock, _ faults: Faults, life: Int) {
        self.clock = clock
        self.faults = faults
        runPrefix = "run-\(life)"
    }

    var instant: ContinuousClock.Instant { clock.instant }

    var unixMilliseconds: Int64 {
        let (seconds, attoseconds) = clock.elapsed.components
        return clock.unixMilliseconds + seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    func isAsleep(_ activity: Activity) -> Bool { clock.isAsleep(activity) }

    /// Whether the worker has crashed.
    var hasDied: Bool { state.withLock { $0.hasDied } }

    /// Sets the function that kills the worker.
    func setDeath(_ die: @escaping @Sendable () -> Void) { state.withLock { $0.die = die } }

    /// Kills the worker: the actions of its runs do not continue.
    func die() {
        let die = state.withLock { state in
            state.hasDied = true
            return state.die
        }
        die?()
        clock.forgetRuns()
    }

    nonisolated(nonsending) func execute(_ action: any PipelineAction, in context: PipelineContext) async
        -> ActionResult
    {
        switch faults.next(before: action.id) {
        case .failure(let reason): return .failed(reason)
        case .death: await dieForGood()
        case nil: break
        }
        let result = await action.execute(context: context)
        if faults.diesAfter(action.id) { await dieForGood() }
        return result
    }

    /// Kills the worker and never returns, so that the action stops as in a killed process.
    private nonisolated(nonsending) func dieForGood() async {
        die()
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
}

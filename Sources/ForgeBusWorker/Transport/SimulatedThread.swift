import Synchronization
import ZeroMQ

/// The reactor's thread in a simulation; it also executes runs, one piece of work after the other.
///
/// The thread counts the pieces of work that were sent and have not been executed yet. So the worker knows when it is
/// idle: no piece is left, and everything that has begun waits for time or for a decision.
final class SimulatedThread: TaskExecutor {
    let simulation: any Simulation
    private let reactor: Reactor
    /// The number of pieces of work that have not been executed yet, plus the number of tasks that will send a piece.
    private let underWay = Atomic(0)
    private let frozen = Atomic(false)

    init(_ simulation: any Simulation, on reactor: Reactor) {
        self.simulation = simulation
        self.reactor = reactor
    }

    /// Whether no piece of work is left, and no task will send one.
    var isIdle: Bool { underWay.load(ordering: .sequentiallyConsistent) == 0 }

    /// Whether nothing executes any more, because of ``freeze()``.
    var isFrozen: Bool { frozen.load(ordering: .sequentiallyConsistent) }

    /// Counts work that begins elsewhere and will send a piece to this thread.
    func began() { underWay.add(1, ordering: .sequentiallyConsistent) }

    /// Stops counting work that ``began()`` counted, because this work has now sent its piece to this thread.
    func ended() { underWay.subtract(1, ordering: .sequentiallyConsistent) }

    /// Stops all execution, as in a process that was killed: tasks stop where they are suspended, for ever.
    func freeze() { frozen.store(true, ordering: .sequentiallyConsistent) }

    /// Runs a piece of work on the thread, in the order of submission.
    ///
    /// - Returns: Whether the reactor accepted the piece; after ``freeze()`` an accepted piece is ignored.
    func submit(_ work: @escaping @Sendable (isolated Reactor) -> Void) -> Bool {
        began()
        let isTaken = reactor.submit { [self] reactor in
            // The pieces that `work` sends are counted before the turn ends; the worker reads `isIdle` only after that.
            ended()
            if !isFrozen { work(reactor) }
        }
        if !isTaken { ended() }
        return isTaken
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isTaken = submit { [self] _ in job.runSynchronously(on: asUnownedTaskExecutor()) }
        // The remaining work of a stopped worker ends on Swift's pool.
        if !isTaken, !isFrozen { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    }

    /// Runs a piece of a cycle on the thread, even after the worker has died, because the next worker uses the monitor,
    /// too.
    fileprivate func submitCycle(_ job: UnownedJob, of cycles: SimulatedCycles) {
        began()
        let isTaken = reactor.submit { [self] _ in
            ended()
            job.runSynchronously(on: cycles.asUnownedTaskExecutor())
        }
        guard !isTaken else { return }
        ended()
        globalConcurrentExecutor.enqueue(ExecutorJob(job))
    }
}

/// Executes the cycles of a simulated worker on the worker's thread; after the thread has ended, on Swift's pool.
final class SimulatedCycles: TaskExecutor {
    private let thread: SimulatedThread

    init(_ thread: SimulatedThread) { self.thread = thread }

    func enqueue(_ job: consuming ExecutorJob) { thread.submitCycle(UnownedJob(job), of: self) }
}

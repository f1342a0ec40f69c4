import DequeModule
import ForgeLocks
import ForgeOrchestrator

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Starts runs on Swift's pool, with fewer thread wake-ups than one task for each run would need.
///
/// A few tasks, the starters, take the runs from a queue. Each run begins immediately on the thread of its starter; the
/// pool schedules the run's task only after the task has waited for something. There are never more starters than the
/// pool has threads. So a long action delays other runs no more than it would with one task for each run.
final class RunStarter: Sendable {
    /// The queue and the number of starters, guarded by a lock.
    private struct State {
        var waiting: Deque<@Sendable () -> Void> = []
        var starters = 0
    }

    private let state = Guarded(State())
    private let width: Int
    private let executor: (any TaskExecutor)?
    /// The number of runs after which a starter yields to other tasks of the pool.
    private static let turn = 16

    /// The number of threads of Swift's pool, which has one thread for each processor.
    static var poolWidth: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Makes a starter of runs.
    ///
    /// - Parameters:
    ///   - width: How many threads the pool has.
    ///   - executor: The executor on which runs start; nil is Swift's pool.
    init(width: Int, on executor: (any TaskExecutor)? = nil) {
        self.width = max(1, width)
        self.executor = executor
    }

    /// Queues `run`; the starters call the queued runs on the pool, in the order in which they were queued.
    func begin(_ run: @escaping @Sendable () -> Void) {
        let isWanted = state.withLock { state in
            state.waiting.append(run)
            guard state.starters < width else { return false }
            state.starters += 1
            return true
        }
        if isWanted { Task(executorPreference: executor) { await self.start() } }
    }

    @concurrent private func start() async {
        while true {
            for _ in 0..<Self.turn {
                guard let run = next() else { return }
                run()
            }
            await Task.yield()
        }
    }

    /// Takes the next run from the queue; nil ends the starter.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let run = state.waiting.popFirst()
            if run == nil { state.starters -= 1 }
            return run
        }
    }
}

/// One run's task; it may be cancelled or get a listener even before it begins.
final class RunTask: Sendable {
    private enum Phase {
        case waiting
        case cancelled
        case begun(Task<Void, Never>)
        case ended
    }

    /// The mutable state of the task, guarded by a lock.
    private struct State {
        var phase = Phase.waiting
        var context: PipelineContext?
        var isFollowed = false
    }

    private let state = Guarded(State())

    /// The run's context, from just before the task begins until the run has finished.
    var context: PipelineContext? { state.withLock { $0.context } }

    /// Keeps the run's context.
    ///
    /// If a listener came before the task had a context, this method calls ``RunHost/follow()``. Call this method after
    /// ``RunHost/begin(_:)``, which resets whether a listener follows the run.
    func adopt(_ context: PipelineContext) {
        let isFollowed = state.withLock { state in
            state.context = context
            return state.isFollowed
        }
        if isFollowed { context.runHost?.follow() }
    }

    /// Records that a listener follows the run from now on.
    func follow() {
        let context = state.withLock { state in
            state.isFollowed = true
            return state.context
        }
        context?.runHost?.follow()
    }

    /// Begins the task; without an executor it begins on the calling thread, if the system supports this.
    ///
    /// - Parameters:
    ///   - executor: Executes the task; nil is Swift's pool.
    ///   - body: Executes the run; returns whether it has finished.
    func begin(on executor: (any TaskExecutor)? = nil, _ body: @escaping @Sendable () async -> Bool) {
        let work: @Sendable () async -> Void = { [self] in
            // If the run was cancelled before this point, its task is cancelled before the body begins.
            if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
            end(isThrough: await body())
        }
        let task: Task<Void, Never>
        if let executor {
            task = Task(executorPreference: executor, operation: work)
        } else if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            task = Task.immediate(operation: work)
        } else {
            task = Task(operation: work)
        }
        let isLate = state.withLock { state in
            switch state.phase {
            case .waiting, .begun: state.phase = .begun(task)
            case .cancelled: return true
            case .ended: break
            }
            return false
        }
        if isLate { task.cancel() }
    }

    /// Ends the task, and releases the context of a finished run on the task's thread and not on the reactor thread.
    private func end(isThrough: Bool) {
        _ = state.withLock { state in
            state.phase = .ended
            return isThrough ? exchange(&state.context, with: nil) : nil
        }
    }

    private var isCancelled: Bool { state.withLock { if case .cancelled = $0.phase { true } else { false } } }

    /// Cancels the task, now or as soon as it begins.
    func cancel() {
        let task: Task<Void, Never>? = state.withLock { state in
            if case .begun(let task) = state.phase { return task }
            if case .waiting = state.phase { state.phase = .cancelled }
            return nil
        }
        task?.cancel()
    }
}

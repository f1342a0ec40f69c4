import ForgeBusWorker
import ForgeLocks

/// A clock that stands still until a ``TestWorker`` moves it: three days pass in a millisecond.
///
/// Give it to what your actions wait by, and to orchestrators, in the place of a `ContinuousClock`:
///
/// ```swift
/// import ForgeOrchestrator
///
/// struct Poll: PipelineAction {
///     let id: ActionID = "poll"
///     let priority: ActionPriority = .medium
///     let clock: any Clock<Duration>
///
///     func shouldRun() async -> Bool { true }
///     func execute(context: PipelineContext) async -> ActionResult {
///         try? await clock.sleep(for: .seconds(3600))
///         return .completed
///     }
/// }
/// ```
///
/// It belongs to one test worker at a time.
public final class TestClock: Clock {
    /// Time is measured as everywhere.
    public typealias Duration = Swift.Duration

    /// A moment of a test clock.
    public struct Instant: InstantProtocol {
        /// How long after the clock's beginning it is.
        public var elapsed: Duration

        /// A moment so long after the clock's beginning.
        public init(elapsed: Duration) { self.elapsed = elapsed }

        /// This moment and a duration more.
        public func advanced(by duration: Duration) -> Instant { Instant(elapsed: elapsed + duration) }
        /// How long it is from this moment to another.
        public func duration(to other: Instant) -> Duration { other.elapsed - elapsed }
        /// Whether a moment comes before another.
        public static func < (a: Instant, b: Instant) -> Bool { a.elapsed < b.elapsed }
    }

    private struct Sleeper {
        let deadline: Duration
        /// Whose it is; nil for a task that belongs to no worker.
        let activity: Activity?
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var elapsed: Duration = .zero
        /// By their numbers, in the order in which they began to sleep.
        var sleepers: [Int: Sleeper] = [:]
        var last = 0
        /// Told when something of a worker has fallen asleep.
        var tell: (@Sendable () -> Void)?
    }

    /// What the clock on the wall says at the beginning, in milliseconds since 1970.
    public let unixMilliseconds: Int64
    private let base = ContinuousClock.now
    private let state = Guarded(State())

    /// A clock that stands at its beginning.
    ///
    /// - Parameter unixMilliseconds: What the clock on the wall says then, in milliseconds since 1970; by default it is midnight
    ///   (UTC) of 1 January 2026, so that each test runs alike.
    public init(unixMilliseconds: Int64 = 1_767_225_600_000) { self.unixMilliseconds = unixMilliseconds }

    /// The moment at which it stands.
    public var now: Instant { Instant(elapsed: elapsed) }

    /// Zero: any two moments differ.
    public var minimumResolution: Duration { .zero }

    /// Returns once the clock was moved to `deadline`, or at once if it stands there already.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let sleeper = Sleeper(
                    deadline: deadline.elapsed,
                    activity: Activity.current,
                    continuation: continuation
                )
                fallAsleep(number, sleeper)
            }
        } onCancel: {
            wake(number)
        }
    }

    private func fallAsleep(_ number: Int, _ sleeper: Sleeper) {
        let (isOver, tell) = state.withLock { state in
            guard sleeper.deadline > state.elapsed else { return (true, nil as (@Sendable () -> Void)?) }
            state.sleepers[number] = sleeper
            return (false, sleeper.activity == nil ? nil : state.tell)
        }
        if isOver { return sleeper.continuation.resume() }
        // A cancellation before it slept found nobody to wake.
        if Task.isCancelled { wake(number) }
        tell?()
    }

    /// Wakes one that was cancelled.
    private func wake(_ number: Int) {
        let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}

// For the worker.
extension TestClock {
    var elapsed: Duration { state.withLock { $0.elapsed } }
    var instant: ContinuousClock.Instant { base + elapsed }

    /// How long after its beginning the clock stands at an instant of a worker.
    func elapsed(at instant: ContinuousClock.Instant) -> Duration { instant - base }

    /// When the next sleeper wakes.
    var nextDeadline: Duration? { state.withLock { $0.sleepers.values.lazy.map(\.deadline).min() } }

    func isAsleep(_ activity: Activity) -> Bool {
        state.withLock { $0.sleepers.values.contains { $0.activity == activity } }
    }

    /// Tells `tell` from now on when something of a worker has fallen asleep.
    func attach(_ tell: @escaping @Sendable () -> Void) { state.withLock { $0.tell = tell } }

    /// Moves the clock on, and wakes those whose time has come: earlier deadlines first, then those that slept longer.
    func move(to elapsed: Duration) {
        let due = state.withLock { state in
            state.elapsed = max(state.elapsed, elapsed)
            let due = state.sleepers.filter { $0.value.deadline <= state.elapsed }
            for number in due.keys { state.sleepers[number] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        }
        for (_, sleeper) in due { sleeper.continuation.resume() }
    }

    /// Forgets what slept in the runs and the start-up of a worker that has died.
    func forgetRuns() {
        let dead = state.withLock { state in
            let dead = state.sleepers.filter { _, sleeper in
                switch sleeper.activity {
                case .run, .startup: true
                case .cycle, .ticks, nil: false
                }
            }
            for number in dead.keys { state.sleepers[number] = nil }
            return dead
        }
        // They are never scheduled again: the thread that would execute them takes nothing any more.
        for sleeper in dead.values { sleeper.continuation.resume(throwing: CancellationError()) }
    }
}

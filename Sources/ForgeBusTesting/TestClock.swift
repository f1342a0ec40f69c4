import ForgeBusWorker
import ForgeLocks

/// A clock that stands still until a ``TestWorker`` moves it, so that a test of three days takes milliseconds.
///
/// Pass the clock to your actions and orchestrators instead of a `ContinuousClock`:
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
/// Use a test clock for only one test worker at a time.
public final class TestClock: Clock {
    /// The standard library's `Duration`.
    public typealias Duration = Swift.Duration

    /// An instant of a test clock.
    public struct Instant: InstantProtocol {
        /// The time from the clock's beginning to this instant.
        public var elapsed: Duration

        /// Makes the instant that comes `elapsed` after the clock's beginning.
        public init(elapsed: Duration) { self.elapsed = elapsed }

        /// The instant that comes `duration` after this one.
        public func advanced(by duration: Duration) -> Instant { Instant(elapsed: elapsed + duration) }
        /// The time from this instant to `other`; negative if `other` is earlier.
        public func duration(to other: Instant) -> Duration { other.elapsed - elapsed }
        /// Whether the instant `a` comes before `b`.
        public static func < (a: Instant, b: Instant) -> Bool { a.elapsed < b.elapsed }
    }

    private struct Sleeper {
        let deadline: Duration
        /// The sleeping activity of the worker, such as a run or a cycle; nil for a task outside the worker.
        let activity: Activity?
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var elapsed: Duration = .zero
        /// The sleeping tasks by number; the numbers show the order in which the tasks began to sleep.
        var sleepers: [Int: Sleeper] = [:]
        var last = 0
        /// The clock calls this function when an activity of the worker begins to sleep; nil before ``attach(_:)``.
        var tell: (@Sendable () -> Void)?
    }

    /// The date and time at the clock's beginning, in milliseconds since 1970 (UTC).
    public let unixMilliseconds: Int64
    private let base = ContinuousClock.now
    private let state = Guarded(State())

    /// Makes a clock that stands at its beginning.
    ///
    /// - Parameter unixMilliseconds: The date and time at the beginning, in milliseconds since 1970 (UTC). The default
    ///   is 1 January 2026, 00:00 UTC, so that a test sees the same dates each time.
    public init(unixMilliseconds: Int64 = 1_767_225_600_000) { self.unixMilliseconds = unixMilliseconds }

    /// The current instant of the clock.
    public var now: Instant { Instant(elapsed: elapsed) }

    /// Zero, because the clock distinguishes any two instants.
    public var minimumResolution: Duration { .zero }

    /// Returns when the clock reaches `deadline`, or immediately if it already has.
    ///
    /// The clock ignores `tolerance`.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before the call, or while it sleeps.
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
        // A cancellation that came before the sleeper was stored could not wake it.
        if Task.isCancelled { wake(number) }
        tell?()
    }

    /// Wakes a sleeper whose task was cancelled.
    private func wake(_ number: Int) {
        let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}

// For the worker.
extension TestClock {
    var elapsed: Duration { state.withLock { $0.elapsed } }
    var instant: ContinuousClock.Instant { base + elapsed }

    /// Converts an instant of the worker to the time that has passed on this clock at that instant.
    func elapsed(at instant: ContinuousClock.Instant) -> Duration { instant - base }

    /// The earliest deadline of the sleeping tasks; nil if no task sleeps.
    var nextDeadline: Duration? { state.withLock { $0.sleepers.values.lazy.map(\.deadline).min() } }

    func isAsleep(_ activity: Activity) -> Bool {
        state.withLock { $0.sleepers.values.contains { $0.activity == activity } }
    }

    /// Calls `tell` from now on whenever an activity of the worker begins to sleep.
    func attach(_ tell: @escaping @Sendable () -> Void) { state.withLock { $0.tell = tell } }

    /// Moves the clock forward, and wakes the sleepers whose deadline has come, in the order of their deadlines.
    ///
    /// Sleepers with the same deadline wake in the order in which they began to sleep.
    func move(to elapsed: Duration) {
        let due = state.withLock { state in
            state.elapsed = max(state.elapsed, elapsed)
            let due = state.sleepers.filter { $0.value.deadline <= state.elapsed }
            for number in due.keys { state.sleepers[number] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        }
        for (_, sleeper) in due { sleeper.continuation.resume() }
    }

    /// Removes the sleepers that belong to runs or to the start-up of a worker that has crashed.
    func forgetRuns() {
        let dead = state.withLock { state in
            let dead = state.sleepers.filter { _, sleeper in
                switch sleeper.activity {
                case .run, .startup: true
                case .cycle, nil: false
                }
            }
            for number in dead.keys { state.sleepers[number] = nil }
            return dead
        }
        // The sleepers' tasks never continue: the thread that would execute them accepts no more jobs.
        for sleeper in dead.values { sleeper.continuation.resume(throwing: CancellationError()) }
    }
}

import ForgeLocks
import Synchronization

/// A one-shot bridge from a callback to `async` code: an action waits, whoever has the answer completes.
///
/// ```swift
/// let signal = CompletionSignal()
/// Task.detached { signal.complete() }
/// await signal.wait()
/// ```
///
/// Completing before anyone waits is fine: the wait then returns at once. A signal has one waiter at a time; a second
/// concurrent wait, of any kind, ends the process with a sentence that says so, also in release builds.
///
/// `@unchecked Sendable` because a continuation is moved in and out of it between threads; every access to that state
/// happens inside one mutex.
public final class CompletionSignal: @unchecked Sendable {
    typealias Waiter = CheckedContinuation<WaitEnd, Never>

    /// How a suspended wait ended.
    enum WaitEnd {
        case completed, cancelled, timedOut
    }

    private let state = Guarded(CompletionSignalState<Waiter>())

    /// Makes a signal that nobody has completed.
    public init() {}

    /// Suspends until the signal is completed; returns at once if it was.
    ///
    /// Cancelling the task does not end the wait: use ``waitUnlessCancelled()`` for that.
    public func wait() async {
        _ = await suspend()
    }

    /// Suspends until the signal is completed or the task is cancelled, whichever comes first.
    ///
    /// - Throws: `CancellationError` when the task was cancelled first. A signal that is completed already never
    /// throws,   even in a cancelled task. After a cancelled wait the signal is open and can be waited for again.
    public func waitUnlessCancelled() async throws(CancellationError) {
        if await suspendUnlessCancelled(state.withLock { $0.makeNumber() }) == .cancelled { throw CancellationError() }
    }

    /// Suspends until the signal is completed, the time is over or the task is cancelled, whichever comes first.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait at most; zero or less asks whether the signal is completed now.
    ///   - clock: What measures the time.
    /// - Throws: ``CompletionSignalError/timedOut`` or ``CompletionSignalError/cancelled``. In both cases the signal is
    ///   open and can be waited for again.
    public func wait(
        for timeout: Duration,
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws(CompletionSignalError) {
        switch await suspend(for: timeout, clock: clock) {
        case .completed: return
        case .cancelled: throw .cancelled
        case .timedOut: throw .timedOut
        }
    }

    /// Completes the signal and resumes its waiter.
    ///
    /// Safe from any thread; every call after the first does nothing.
    public func complete() {
        let waiter = state.withLock { $0.complete() }
        resume(waiter, .completed)
    }

    /// Whether the signal has been completed.
    public var isCompleted: Bool {
        state.withLock { $0.isCompleted }
    }
}

extension CompletionSignal {
    /// Whether the time of one wait is over.
    private final class Deadline: Sendable {
        let hasPassed = Atomic(false)
    }

    /// Waits without a way to give up, so it needs no number.
    private func suspend() async -> WaitEnd {
        await withCheckedContinuation { install($0, 0) }
    }

    private func suspendUnlessCancelled(_ number: UInt64, until deadline: Deadline? = nil) async -> WaitEnd {
        await withTaskCancellationHandler {
            await suspend(number, until: deadline)
        } onCancel: {
            abandon(number, .cancelled)
        }
    }

    /// What ended before the waiter was in place found nobody to resume, so it is asked again once it is.
    ///
    /// Whoever takes the waiter out of the state resumes it: asking twice cannot resume it twice.
    private func suspend(_ number: UInt64, until deadline: Deadline?) async -> WaitEnd {
        await withCheckedContinuation { waiter in
            install(waiter, number)
            if Task.isCancelled { abandon(number, .cancelled) }
            if let deadline, deadline.hasPassed.load(ordering: .relaxed) { abandon(number, .timedOut) }
        }
    }

    /// The deadline is a child of the wait, so that none outlives it.
    private func suspend(for timeout: Duration, clock: any Clock<Duration>) async -> WaitEnd {
        if isCompleted { return .completed }
        let number = state.withLock { $0.makeNumber() }
        let deadline = Deadline()
        return await withDiscardingTaskGroup { group in
            // Begins here, so that the time counts from now and not from when a thread is free.
            group.addChild {
                // A clock throws only when it is cancelled: the wait ended some other way.
                guard (try? await clock.sleep(for: timeout)) != nil else { return }
                deadline.hasPassed.store(true, ordering: .relaxed)
                self.abandon(number, .timedOut)
            }
            let end = await self.suspendUnlessCancelled(number, until: deadline)
            group.cancelAll()
            return end
        }
    }

    private func install(_ waiter: Waiter, _ number: UInt64) {
        LiveObjects.waiters.add()
        switch state.withLock({ $0.wait(number, waiter) }) {
        case .suspend: return
        case .resume: resume(waiter, .completed)
        case .refuse:
            fatalError("CompletionSignal.wait() called concurrently — only one waiter is supported")
        }
    }

    private func abandon(_ number: UInt64, _ end: WaitEnd) {
        let waiter = state.withLock { $0.abandon(number) }
        resume(waiter, end)
    }

    private func resume(_ waiter: Waiter?, _ end: WaitEnd) {
        guard let waiter else { return }
        LiveObjects.waiters.remove()
        waiter.resume(returning: end)
    }
}

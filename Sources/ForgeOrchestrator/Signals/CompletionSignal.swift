import ForgeLocks
import Synchronization

/// A one-shot bridge from a callback to `async` code: one task waits until other code completes the signal.
///
/// ```swift
/// let signal = CompletionSignal()
/// Task.detached { signal.complete() }
/// await signal.wait()
/// ```
///
/// The signal may be completed before a task waits: the wait then returns immediately. Only one task may wait at a
/// time; a second concurrent wait, of any kind, ends the process with an error message, also in release builds.
///
/// The class is `@unchecked Sendable` because threads pass a continuation through the signal. One mutex guards every
/// access to the continuation.
public final class CompletionSignal: @unchecked Sendable {
    typealias Waiter = CheckedContinuation<WaitEnd, Never>

    /// How a suspended wait ended.
    enum WaitEnd {
        case completed, cancelled, timedOut
    }

    private let state = Guarded(CompletionSignalState<Waiter>())

    /// Makes a signal that is not completed.
    public init() {}

    /// Suspends until the signal is completed; returns immediately if it already is.
    ///
    /// Cancelling the task does not end the wait: use ``waitUnlessCancelled()`` for a wait that can be cancelled.
    public func wait() async {
        _ = await suspend()
    }

    /// Suspends until the signal is completed or the task is cancelled, whichever comes first.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before the signal is completed. A wait for a completed
    ///   signal never throws, even in a cancelled task. After a cancelled wait, a task can wait for the signal again.
    public func waitUnlessCancelled() async throws(CancellationError) {
        if await suspendUnlessCancelled(state.withLock { $0.makeNumber() }) == .cancelled { throw CancellationError() }
    }

    /// Suspends until the signal is completed, the timeout passes or the task is cancelled, whichever comes first.
    ///
    /// - Parameters:
    ///   - timeout: The longest time to wait. With zero or less, the wait throws unless the signal is already
    ///     completed.
    ///   - clock: The clock that measures the timeout.
    /// - Throws: ``CompletionSignalError/timedOut`` or ``CompletionSignalError/cancelled``. In both cases the signal is
    ///   not completed, and a task can wait for it again.
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
    /// Any thread may call this method; every call after the first does nothing.
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
    /// Records whether the timeout of one wait has passed.
    private final class Deadline: Sendable {
        let hasPassed = Atomic(false)
    }

    /// Waits until the signal is completed; no cancellation or timeout ends this wait.
    ///
    /// So the waiter needs no number by which a cancellation or timeout would find it.
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

    /// Installs the waiter, then checks again for a cancellation or timeout that came before the waiter was installed.
    ///
    /// Only the code that removes the waiter from the state resumes it, so the waiter is never resumed twice.
    private func suspend(_ number: UInt64, until deadline: Deadline?) async -> WaitEnd {
        await withCheckedContinuation { waiter in
            install(waiter, number)
            if Task.isCancelled { abandon(number, .cancelled) }
            if let deadline, deadline.hasPassed.load(ordering: .relaxed) { abandon(number, .timedOut) }
        }
    }

    /// Waits with a deadline; the timer is a child task of the wait, so the timer cannot outlive the wait.
    private func suspend(for timeout: Duration, clock: any Clock<Duration>) async -> WaitEnd {
        if isCompleted { return .completed }
        let number = state.withLock { $0.makeNumber() }
        let deadline = Deadline()
        return await withDiscardingTaskGroup { group in
            // An immediate child, so that the time counts from now, and not from the moment when a thread is free.
            group.addChild {
                // A clock throws only if its task is cancelled, and then the wait has already ended.
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

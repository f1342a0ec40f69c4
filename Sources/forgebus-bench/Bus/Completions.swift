import CFloor
import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import Synchronization

/// A sample of COMPLETE: the client in C completes `count` signals, and the task that waits for each must resume.
struct Completions {
    let count: UInt64
    let window: UInt32
    /// The keys of both ends; nil for connections without encryption.
    let keys: CurveKeys?

    /// How long the tasks may take to begin waiting, and to resume; milliseconds are common.
    private static let patience = Duration.seconds(10)

    /// Announces the signals on a worker and lets tasks wait for them, then completes them from C.
    ///
    /// - Returns: The time from the first request to the last verdict or the last resumed waiter, whichever came later.
    /// - Throws: ``TransportMeasureFailure`` when a waiter did not resume.
    func run(on worker: BusWorker, at endpoint: String) async throws -> Duration {
        let signals = (0..<count).map { _ in CompletionSignal() }
        try await announce(signals, on: worker)
        return try await run(signals, at: endpoint)
    }

    /// Lets tasks wait for signals that the server at `endpoint` already knows, then completes them from C.
    ///
    /// - Returns: The time from the first request to the last verdict or the last resumed waiter, whichever came later.
    func run(_ signals: [CompletionSignal], at endpoint: String) async throws -> Duration {
        let waiters = Waiters(expected: signals.count)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            // After any error, end all waits.
            defer { for signal in signals { signal.complete() } }
            try await waiters.wait(for: signals, in: &group, patience: Self.patience)
            let run = try await onThread {
                try FloorClient(frames: .complete, keys: keys).run(endpoint: endpoint, count: count, window: window)
            }
            let resumedAt = try await waiters.lastResumption(patience: Self.patience)
            return max(run.elapsed, .nanoseconds(Int64(resumedAt) - Int64(run.startedAt)))
        }
    }

    private func announce(_ signals: [CompletionSignal], on worker: BusWorker) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, signal) in signals.enumerated() {
                group.addTask {
                    try await worker.announce(signal, under: SignalID(BusFrames.complete.subject(number: number)))
                }
            }
            try await group.waitForAll()
        }
    }
}

/// Counts the waiting tasks as they resume.
private final class Waiters: Sendable {
    private let expected: Int
    private let resumed = Atomic(0)
    private let resumedAt = Atomic<UInt64>(0)
    private let areAllResumed = CompletionSignal()

    init(expected: Int) { self.expected = expected }

    /// Lets a task wait for each signal, and returns once all are suspended: a wait that begins later resumes nobody.
    ///
    /// The worker's own tasks already wait by then; the method counts them first and subtracts them.
    func wait(
        for signals: [CompletionSignal],
        in group: inout ThrowingTaskGroup<Void, any Error>,
        patience: Duration
    ) async throws {
        let before = try await settledWaiters()
        for signal in signals {
            group.addTask {
                await signal.wait()
                self.countResumption()
            }
        }
        let end = ContinuousClock.now + patience
        while LiveObjects.waiters.current - before < expected {
            guard .now < end else {
                let count = LiveObjects.waiters.current - before
                throw TransportMeasureFailure(description: "Only \(count) of \(expected) tasks began to wait in time.")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// The number of other waiting tasks, when it no longer changes: tasks of an earlier worker may still be ending.
    private func settledWaiters() async throws -> Int {
        var count = LiveObjects.waiters.current
        while true {
            try await Task.sleep(for: .milliseconds(50))
            let now = LiveObjects.waiters.current
            if now == count { return now }
            count = now
        }
    }

    /// When the last waiter resumed, by the clock of `cfloor_now`.
    func lastResumption(patience: Duration) async throws -> UInt64 {
        do {
            try await areAllResumed.wait(for: patience)
        } catch {
            let count = resumed.load(ordering: .relaxed)
            throw TransportMeasureFailure(description: "Only \(count) of \(expected) waiters resumed in time.")
        }
        return resumedAt.load(ordering: .relaxed)
    }

    private func countResumption() {
        guard resumed.wrappingAdd(1, ordering: .relaxed).newValue == expected else { return }
        resumedAt.store(cfloor_now(), ordering: .relaxed)
        areAllResumed.complete()
    }
}

import CFloor
import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import Synchronization

/// A sample of COMPLETE: the client in C completes `count` signals, and each completion must resume a waiting task.
struct Completions {
    let count: UInt64
    let window: UInt32
    /// The keys of the server and the client; nil for connections without encryption.
    let keys: CurveKeys?

    /// How long the tasks may take to resume; they usually need milliseconds.
    private static let patience = Duration.seconds(10)

    /// Announces signals on a worker and starts a task that waits for each signal; then the client in C completes them.
    ///
    /// - Returns: The time from the first request to the last verdict or the last resumed waiter, whichever came later.
    /// - Throws: ``TransportMeasureFailure`` when a task did not resume in time, or when the
    ///   client in C failed; and the errors of the worker.
    func run(on worker: BusWorker, at endpoint: String) async throws -> Duration {
        let signals = (0..<count).map { _ in CompletionSignal() }
        try await announce(signals, on: worker)
        return try await run(signals, at: endpoint)
    }

    /// Starts a task that waits for each signal; then the client in C completes the signals.
    ///
    /// The server at `endpoint` must know the signals already.
    ///
    /// - Returns: The time from the first request to the last verdict or the last resumed waiter, whichever came later.
    func run(_ signals: [CompletionSignal], at endpoint: String) async throws -> Duration {
        let waiters = Waiters(expected: signals.count)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            // After an error, end the waits that are left, because the group waits for its tasks.
            defer { for signal in signals { signal.complete() } }
            try await waiters.wait(for: signals, in: &group)
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

/// Starts the waiting tasks and counts the resumed ones.
private final class Waiters: Sendable {
    private let expected: Int
    private let begun = Atomic(0)
    private let resumed = Atomic(0)
    private let resumedAt = Atomic<UInt64>(0)
    private let areAllResumed = CompletionSignal()

    init(expected: Int) { self.expected = expected }

    /// Starts a task that waits for each signal, and returns when all these tasks are suspended, or are about to be.
    ///
    /// If a task began to wait after its signal was completed, nothing would have to resume it. When the last of them has
    /// begun, only as many as there are threads have something left to do until they are suspended.
    func wait(for signals: [CompletionSignal], in group: inout ThrowingTaskGroup<Void, any Error>) async throws {
        for signal in signals {
            group.addTask {
                self.begun.wrappingAdd(1, ordering: .relaxed)
                await signal.wait()
                self.countResumption()
            }
        }
        repeat { try await Task.sleep(for: .milliseconds(5)) } while begun.load(ordering: .relaxed) < expected
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
